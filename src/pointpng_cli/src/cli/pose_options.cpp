#include "cli/pose_options.h"

#include <algorithm>

namespace pointpng::cli {
namespace {

/// "--second-look" of "second_look".
std::string option_name(const Range& range) {
  std::string name = "--" + std::string(range.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

void add_ranged_option(Command command, int& value, const Range& range) {
  command.add_option(option_name(range), value, std::string(range.meaning))
      .range(static_cast<int>(range.least), static_cast<int>(range.most))
      .show_default();
}

void add_ranged_option(Command command, double& value, const Range& range) {
  command.add_option(option_name(range), value, std::string(range.meaning))
      .range(range.least, range.most)
      .show_default();
}

void add_pose_options(Command command, PoseOptions& options) {
  command.add_option("--model", options.model, kModelHelp);
  command
      .add_word(
          "--refine",
          [&options](const std::string& name) {
            options.config.refinement = parse_refinement(name);
          },
          to_string(options.config.refinement), "The last refinement")
      .one_of(refinement_names());
  add_ranged_option(command, options.config.num_hypotheses, range_of("hypotheses"));
  command.add_flag("!--no-parts", options.config.partial_overlap,
                   "Register whole clouds only, as the paper does");
  add_ranged_option(command, options.config.num_points, range_of("points"));
  add_ranged_option(command, options.config.min_confidence, range_of("confidence"));
}

}  // namespace pointpng::cli
