#pragma once

#include <string>

#include "cli/options.h"
#include "pointpng/registration.h"

namespace pointpng::cli {

/// What every command that registers clouds takes.
struct PoseOptions {
  std::string model;  ///< see `find_model`
  RegistrationConfig config;
};

/// `--model`, `--refine`, `--hypotheses`, `--no-parts`, `--points`, `--confidence`.
void add_pose_options(Command command, PoseOptions& options);

/// An option with the name, the meaning and the range that the library gives it.
void add_ranged_option(Command command, int& value, const Range& range);
void add_ranged_option(Command command, double& value, const Range& range);

}  // namespace pointpng::cli
