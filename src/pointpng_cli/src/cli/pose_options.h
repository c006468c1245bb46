#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "pointpng/registration.h"

namespace pointpng::cli {

/// What every command that registers clouds takes.
struct PoseOptions {
  std::string model;  ///< see `find_model`
  RegistrationConfig config;
};

/// `--model`, `--effort`, `--refine`, `--hypotheses`, `--no-parts`, `--points`, `--confidence`.
void add_pose_options(Command command, PoseOptions& options);

/// What is known of the two clouds besides their points.
struct PairOptions {
  std::vector<double> source_viewpoint, target_viewpoint;  ///< x y z, or empty
  std::vector<double> source_up, target_up, up;

  CloudOptions of_source() const;
  CloudOptions of_target() const;
};

/// `--source-viewpoint`, `--target-viewpoint`, `--up`, `--source-up`, `--target-up`.
void add_pair_options(Command command, PairOptions& options);

/// An option with the name, the meaning and the range that the library gives it.
void add_ranged_option(Command command, int& value, const Range& range);
void add_ranged_option(Command command, double& value, const Range& range);

}  // namespace pointpng::cli
