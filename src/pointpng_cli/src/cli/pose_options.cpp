#include "cli/pose_options.h"

#include <algorithm>
#include <optional>

namespace pointpng::cli {
namespace {

/// "--second-look" of "second_look".
std::string option_name(const Range& range) {
  std::string name = "--" + std::string(range.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::optional<Eigen::Vector3d> vector_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  return Eigen::Vector3d(numbers.data());
}

}  // namespace

CloudOptions PairOptions::of_source() const {
  return {vector_of(source_viewpoint), vector_of(source_up.empty() ? up : source_up)};
}

CloudOptions PairOptions::of_target() const {
  return {vector_of(target_viewpoint), vector_of(target_up.empty() ? up : target_up)};
}

void add_pair_options(Command command, PairOptions& options) {
  command
      .add_option("--source-viewpoint", options.source_viewpoint,
                  "Where the source's sensor was, x y z: nothing can stand in front of what it saw")
      .numbers(3);
  command
      .add_option("--target-viewpoint", options.target_viewpoint, "The same of the target's sensor")
      .numbers(3);
  const Option both =
      command
          .add_option("--up", options.up,
                      "Which way is up in both clouds, x y z: the source turns about it only")
          .numbers(3);
  command.add_option("--source-up", options.source_up, "The same, where it differs: in the source")
      .numbers(3)
      .excludes(both);
  command.add_option("--target-up", options.target_up, "… and in the target")
      .numbers(3)
      .excludes(both);
}

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
  command
      .add_word(
          "--effort",
          [&options](const std::string& name) { options.config.effort = parse_effort(name); },
          to_string(options.config.effort), "How much work is done before it gives up")
      .one_of(effort_names());
  add_ranged_option(command, options.config.num_hypotheses, range_of("hypotheses"));
  command.add_flag("!--no-parts", options.config.partial_overlap,
                   "Register whole clouds only, as the paper does");
  add_ranged_option(command, options.config.num_points, range_of("points"));
  add_ranged_option(command, options.config.min_confidence, range_of("confidence"));
}

}  // namespace pointpng::cli
