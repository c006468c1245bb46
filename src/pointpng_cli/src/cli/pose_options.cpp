#include "cli/pose_options.h"

#include "model/device.h"

namespace pointpng::cli {

void add_pose_options(Command command, PoseOptions& options) {
  command.add_option("--model", options.model, kModelHelp);
  command.add_option("--refine", options.config.refine, "The last refinement")
      .one_of(refine_names())
      .show_default();
  command
      .add_option("--hypotheses", options.config.hypotheses,
                  "Rotations taken from the embedding; 1 is the plain paper")
      .range(1, 64)
      .show_default();
  command.add_flag("!--no-parts", options.config.parts,
                   "Look at the clouds as wholes only, as the paper does");
  command
      .add_option("--points", options.config.points,
                  "Points per cloud after downsampling")
      .range(64, 16384)
      .show_default();
  command
      .add_option("--confidence", options.config.confidence,
                  "Results below it are rejected; 0 accepts whatever fits best")
      .range(0.0, 1.0)
      .show_default();
}

std::shared_ptr<PoseEstimator> make_estimator(const PoseOptions& options, const ComputeOptions& compute) {
  validate(options.config);
  return std::make_shared<PoseEstimator>(load_model(find_model(options.model), use(compute)).model,
                                         options.config);
}

}  // namespace pointpng::cli
