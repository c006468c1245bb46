#include "cli/pose_options.h"

namespace pointpng::cli {

void in_range(Option option, const Range& range) {
  option.range(range.least, range.most).show_default();
}

void add_pose_options(Command command, PoseOptions& options) {
  const auto add = [&](const char* name, auto& value) {
    const Range& range = registration_range(name);
    in_range(command.add_option(std::string("--") + name, value, std::string(range.meaning)), range);
  };
  command.add_option("--model", options.model, kModelHelp);
  command
      .add_word(
          "--refine",
          [&options](const std::string& name) {
            options.config.refinement = parse_refinement(name);
          },
          to_string(options.config.refinement), "The last refinement")
      .one_of(refinement_names());
  add("hypotheses", options.config.num_hypotheses);
  command.add_flag("!--no-parts", options.config.partial_overlap,
                   "Register whole clouds only, as the paper does");
  add("points", options.config.num_points);
  add("confidence", options.config.min_confidence);
}

}  // namespace pointpng::cli
