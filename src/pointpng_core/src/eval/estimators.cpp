#include "pointpng/eval/estimators.h"

#include <utility>

#include <torch/types.h>

#include "pointpng/pose/search.h"

namespace pointpng {

Aligner aligner_of(std::shared_ptr<const PoseEstimator> estimator) {
  return [estimator = std::move(estimator)](const PosePair& pair) {
    return estimator->align(pair.source, pair.target);
  };
}

SearchOnly search_only_of(std::shared_ptr<const PoseEstimator> estimator) {
  return [estimator = std::move(estimator)](const PosePair& pair) {
    const auto source = estimator->prepare(pair.source, "the source"),
               target = estimator->prepare(pair.target, "the target");
    const torch::Tensor best = estimator->rotations(*source, *target).rotations[0][0].cpu();
    const auto q = best.to(torch::kFloat64).contiguous();
    const double* w = q.data_ptr<double>();
    return Eigen::Quaterniond(w[0], w[1], w[2], w[3]).normalized();
  };
}

}  // namespace pointpng
