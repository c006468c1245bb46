#include "eval/estimators.h"

#include <cmath>
#include <utility>

#include <torch/types.h>

#include "base/angle.h"
#include "base/random.h"
#include "pose/search.h"

namespace pointpng {
namespace {

/// A turn about the scan's centre by up to `degrees`, and half as far a shift.
Eigen::Isometry3d small_motion(const Scan& scan, const PosePair& pair, double degrees,
                               std::uint64_t seed) {
  const double of_pair = pair.target_from_source(0, 0);
  Random random({seed, static_cast<std::uint64_t>(std::llround(1e9 * (1.0 + of_pair)))});
  const double angle = degrees * kRadiansPerDegree * random.uniform();
  const Eigen::Vector3d axis = random.direction().cast<double>();
  const Eigen::Vector3d shift =
      0.5 * angle * static_cast<double>(scan.radius) * random.direction().cast<double>();
  return Eigen::Translation3d(scan.centre + shift) * Eigen::AngleAxisd(angle, axis) *
         Eigen::Translation3d(-scan.centre);
}

}  // namespace

Aligner aligner_of(std::shared_ptr<const PoseEstimator> estimator) {
  return [estimator = std::move(estimator)](const PosePair& pair) {
    return estimator->align(pair.source, pair.target);
  };
}

Aligner follower_of(std::shared_ptr<const PoseEstimator> estimator, double degrees,
                    std::uint64_t seed) {
  return [estimator = std::move(estimator), degrees, seed](const PosePair& pair) {
    const auto source = estimator->clean(pair.source, "the source"),
               target = estimator->clean(pair.target, "the target");
    Alignment result = estimator->align_near(
        *source, *target, pair.target_from_source * small_motion(*source, pair, degrees, seed));
    result.times_ms.prepare = source->prepare_ms + target->prepare_ms;
    result.times_ms.total += result.times_ms.prepare;
    return result;
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
