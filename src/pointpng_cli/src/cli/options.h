#pragma once

#include <cstdint>

#include "cli/command.h"
#include "pointpng/runtime.h"

namespace pointpng::cli {

/// How a command speaks.
struct OutputOptions {
  bool json = false;   ///< one JSON object on stdout instead of text
  bool quiet = false;  ///< no progress and no remarks, only results, warnings and errors
};

/// The text of `--model` for commands that have a default.
extern const char* const kModelHelp;
/// The text of `--topic`.
extern const char* const kTopicHelp;

/// `--json` and `--quiet`.
void add_output_options(Command command, OutputOptions& options);

/// `--threads` and `--device`.
void add_compute_options(Command command, ComputeOptions& options);

/// `--seed`.
void add_seed_option(Command command, std::uint64_t& seed);

/// Silences remarks where asked for; call at the start of a command's body.
void apply(const OutputOptions& options);

}  // namespace pointpng::cli
