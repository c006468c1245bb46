#pragma once

#include <cstdint>
#include <string>

#include <c10/core/Device.h>

#include "cli/command.h"

namespace pointpng::cli {

/// How a command speaks.
struct OutputOptions {
  bool json = false;   ///< one JSON object on stdout instead of text
  bool quiet = false;  ///< no progress and no remarks, only results, warnings and errors
};

/// Where a command computes.
struct ComputeOptions {
  int threads = 0;              ///< 0: every core that this process may use
  std::string device = "auto";  ///< auto, cpu or cuda
};

/// `--json` and `--quiet`.
void add_output_options(Command command, OutputOptions& options);

/// `--threads` and `--device`.
void add_compute_options(Command command, ComputeOptions& options);

/// `--seed`.
void add_seed_option(Command command, std::uint64_t& seed);

/// Silences remarks where asked for; call at the start of a command's body.
void apply(const OutputOptions& options);

/// Sets LibTorch's threads and returns the device to compute on. `auto` takes CUDA where it is
/// usable; `cuda` throws `InputError` with the reason where it is not.
c10::Device apply(const ComputeOptions& options);

}  // namespace pointpng::cli
