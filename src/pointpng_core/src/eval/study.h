#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pointpng/study.h"

namespace pointpng {

/// One variant: what is trained, and the masked autoencoding before it where there is any.
struct StudyVariant {
  std::string name;
  RunPlan plan;
  std::optional<RunPlan> before;
};

/// The plan that all variants start from: the preset's sizes with the paper's backbone, predictor
/// and pseudo-negatives, and the user's settings; every fifth shape is held out
/// if there are no test shapes.
RunPlan study_plan(const StudyConfig& config);

/// Trains every variant with every seed in a folder of its own under `out`, measures it, and adds a
/// row to the study. `study.finished` is false where the caller stopped it.
void train_and_measure(const StudyConfig& config, const std::vector<StudyVariant>& variants,
                       Study& study, const RunHooks& hooks);

}  // namespace pointpng
