#include "pointpng/cli/options.h"

#include <ATen/Parallel.h>
#include <spdlog/spdlog.h>

#include "pointpng/base/error.h"
#include "pointpng/cli/machine.h"

namespace pointpng::cli {

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON object on stdout; logs go to stderr");
  command.add_flag("--quiet", options.quiet, "No progress and no remarks");
}

void add_compute_options(CLI::App& command, ComputeOptions& options) {
  command
      .add_option("--threads", options.threads,
                  "Threads to compute with; 0 takes every core this process may use")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--device", options.device, "Where to compute: auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
}

void add_seed_option(CLI::App& command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "The same seed gives the same result")->capture_default_str();
}

void apply(const OutputOptions& options) {
  if (options.quiet) {
    spdlog::set_level(spdlog::level::warn);
  }
}

c10::Device apply(const ComputeOptions& options) {
  at::set_num_threads(options.threads > 0 ? options.threads : usable_cores());
  if (options.device == "cpu") {
    return c10::kCPU;
  }
  const CudaStatus cuda = cuda_status();
  if (options.device == "cuda" && !cuda.usable) {
    throw InputError("--device cuda: " + cuda.reason +
                     "; use --device cpu, or see 'pointpng doctor'");
  }
  return cuda.usable ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
}

}  // namespace pointpng::cli
