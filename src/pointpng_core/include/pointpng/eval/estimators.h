#pragma once

#include <memory>

#include "pointpng/eval/pose_evaluation.h"
#include "pointpng/pose/estimator.h"

namespace pointpng {

/// Our own estimator as something to measure.
Aligner aligner_of(std::shared_ptr<const PoseEstimator> estimator);

/// Its embeddings and the search, and nothing after them.
SearchOnly search_only_of(std::shared_ptr<const PoseEstimator> estimator);

}  // namespace pointpng
