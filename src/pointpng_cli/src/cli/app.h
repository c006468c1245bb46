#pragma once

namespace pointpng::cli {

/// The whole command line: parses, runs one command, reports what went wrong in one sentence.
/// Returns the exit status: 0 done, 1 failed or no acceptable result, 2 wrong usage or input.
int run(int argc, char** argv);

}  // namespace pointpng::cli
