#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "pose/config.h"
#include "pose/estimator.h"

namespace pointpng::cli {

/// What every command that estimates poses takes.
struct PoseOptions {
  std::string model;  ///< see `find_model`
  PoseConfig config;
};

/// `--model`, `--refine`, `--hypotheses`, `--no-parts`, `--points`, `--confidence`.
void add_pose_options(Command command, PoseOptions& options);

/// The estimator that they describe.
std::shared_ptr<PoseEstimator> make_estimator(const PoseOptions& options, const ComputeOptions& compute);

}  // namespace pointpng::cli
