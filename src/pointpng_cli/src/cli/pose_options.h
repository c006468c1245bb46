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

/// Restricts an option to a range of the library and shows its default.
void in_range(Option option, const Range& range);

}  // namespace pointpng::cli
