#include "cli/options.h"

#include <ATen/Parallel.h>

#include "cli/machine.h"
#include "cli/output.h"
#include "pointpng/error.h"

namespace pointpng::cli {

void add_output_options(Command command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON object on stdout; logs go to stderr");
  command.add_flag("--quiet", options.quiet, "No progress and no remarks");
}

void add_compute_options(Command command, ComputeOptions& options) {
  command
      .add_option("--threads", options.threads,
                  "Threads to compute with; 0 takes every core this process may use")
      .range(0, 1024)
      .show_default();
  command.add_option("--device", options.device, "Where to compute: auto, cpu or cuda")
      .one_of({"auto", "cpu", "cuda"})
      .show_default();
}

void add_seed_option(Command command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "The same seed gives the same result").show_default();
}

void apply(const OutputOptions& options) {
  if (options.quiet) {
    silence_remarks();
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
