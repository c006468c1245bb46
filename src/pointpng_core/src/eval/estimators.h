#pragma once

#include <cstdint>
#include <memory>

#include "eval/pose_evaluation.h"
#include "pose/estimator.h"

namespace pointpng {

/// Our own estimator as something to measure.
Aligner aligner_of(std::shared_ptr<const PoseEstimator> estimator);

/// Without a search, from a guess that is off by up to `degrees`, as tracking starts from the last
/// pose. The same seed and pair always give the same guess.
Aligner follower_of(std::shared_ptr<const PoseEstimator> estimator, double degrees,
                    std::uint64_t seed);

/// Its embeddings and the search, and nothing after them.
SearchOnly search_only_of(std::shared_ptr<const PoseEstimator> estimator);

}  // namespace pointpng
