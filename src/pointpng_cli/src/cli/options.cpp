#include "cli/options.h"

#include "cli/output.h"
#include "pointpng/registration.h"

namespace pointpng::cli {

const char* const kModelHelp = "A model.safetensors or the name of a shipped model [object]";
const char* const kTopicHelp = "PointCloud2 topic of a bag that has several";

void add_output_options(Command command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON object on stdout; logs go to stderr");
  command.add_flag("--quiet", options.quiet, "No progress bar and no notes");
}

void add_compute_options(Command command, ComputeOptions& options) {
  const Range& threads = range_of("threads");
  command.add_option("--threads", options.threads, std::string(threads.meaning))
      .range(static_cast<int>(threads.least), static_cast<int>(threads.most))
      .show_default();
  command
      .add_word(
          "--device", [&options](const std::string& name) { options.device = parse_device(name); },
          to_string(options.device), "Where to compute: auto, cpu or cuda")
      .one_of(device_names());
}

void add_seed_option(Command command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "The same seed gives the same result").show_default();
}

void apply(const OutputOptions& options) {
  if (options.quiet) silence_remarks();
}

}  // namespace pointpng::cli
