#pragma once

#include "cli/command.h"

namespace pointpng::cli {

/// The whole command line of a program: parses, runs one command, reports what went wrong in one
/// sentence. Returns the exit status: 0 done, 1 failed or no acceptable result, 2 wrong usage or
/// input. `before` may take over before anything is parsed; it returns only where it does not.
int run(int argc, char** argv, void (*add_commands)(Command root),
        void (*before)(int argc, char** argv) = nullptr);

}  // namespace pointpng::cli
