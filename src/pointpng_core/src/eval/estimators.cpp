#include "eval/estimators.h"

#include <cmath>

#include "base/geometry.h"
#include "base/random.h"
#include "pose/prepared_cloud.h"

namespace pointpng {
namespace {

/// A rotation about the cloud's centroid by up to `degrees`, and a shift of half that arc length.
Eigen::Isometry3d small_motion(const PreparedCloud& cloud, const PosePair& pair, double degrees,
                               std::uint64_t seed) {
  const double of_pair = pair.target_from_source(0, 0);
  Random random({seed, static_cast<std::uint64_t>(std::llround(1e9 * (1.0 + of_pair)))});
  const double angle = degrees * kRadiansPerDegree * random.uniform();
  const Eigen::Vector3d axis = random.direction().cast<double>();
  const Eigen::Vector3d shift = 0.5 * angle * cloud.radius() * random.direction().cast<double>();
  return Eigen::Translation3d(cloud.centroid() + shift) * Eigen::AngleAxisd(angle, axis) *
         Eigen::Translation3d(-cloud.centroid());
}

CloudOptions of_source(const PosePair& pair) { return {pair.source_viewpoint, pair.source_up}; }
CloudOptions of_target(const PosePair& pair) { return {pair.target_viewpoint, pair.target_up}; }

}  // namespace

Aligner aligner_of(const Registration& registration) {
  return [registration](const PosePair& pair) {
    return registration.align(pair.source, pair.target, of_source(pair), of_target(pair));
  };
}

Aligner tracker_of(const Registration& registration, double degrees, std::uint64_t seed) {
  return [registration, degrees, seed](const PosePair& pair) {
    const PreparedCloud source = registration.prepare(pair.source, "the source", of_source(pair)),
                        target = registration.prepare(pair.target, "the target", of_target(pair));
    return registration.align_from(
        source, target, pair.target_from_source * small_motion(source, pair, degrees, seed));
  };
}

SearchOnly search_only_of(const Registration& registration) {
  return [registration](const PosePair& pair) {
    const PreparedCloud source = registration.prepare(pair.source, "the source"),
                        target = registration.prepare(pair.target, "the target");
    return source.data()
        .embedder->search(source.embedding(), target.embedding(), {.num_hypotheses = 1})
        .front()
        .target_from_source;
  };
}

}  // namespace pointpng
