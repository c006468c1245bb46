#include "eval/estimators.h"

#include <cmath>
#include <utility>

#include "base/geometry.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "pointpng/error.h"
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

PreparedPair prepare_pair(const Registration& registration, const PosePair& pair) {
  return {registration.prepare(pair.source, "the source", of_source(pair)),
          registration.prepare(pair.target, "the target", of_target(pair))};
}

Eigen::Quaterniond searched_rotation(const PreparedPair& pair) {
  return pair.source.data()
      .embedder->search(pair.source.embedding(), pair.target.embedding(), {.num_hypotheses = 1})
      .front()
      .target_from_source;
}

void divide_cpu_time(double cpu_ms, std::vector<EstimatedPose>& among) {
  double total_ms = 0.0;
  for (const EstimatedPose& one : among) total_ms += one.alignment.times_ms.total;
  if (total_ms <= 0.0) return;
  for (EstimatedPose& one : among) one.cpu_ms = cpu_ms * one.alignment.times_ms.total / total_ms;
}

}  // namespace

Aligner aligner_of(const Registration& registration) {
  return [registration](const PosePair& pair) {
    return registration.align(pair.source, pair.target, of_source(pair), of_target(pair));
  };
}

Aligner tracker_of(const Registration& registration, double degrees, std::uint64_t seed) {
  return [registration, degrees, seed](const PosePair& pair) {
    const auto [source, target, guess] = prepare_pair(registration, pair);
    return registration.align_from(
        source, target, pair.target_from_source * small_motion(source, pair, degrees, seed));
  };
}

std::vector<EstimatedPose> estimate_together(const Registration& registration,
                                             std::span<const PosePair> pairs) {
  const Stopwatch watch;
  std::vector<EstimatedPose> estimated(pairs.size());
  std::vector<std::optional<PreparedPair>> prepared(pairs.size());
  parallel_for(0, std::ssize(pairs), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      prepared[at] = prepare_pair(registration, pairs[at]);
    } catch (const InputError& refused) {
      estimated[at].alignment.rejection_reason = refused.what();
    }
  });
  std::vector<std::size_t> usable;
  std::vector<PreparedPair> to_align;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (prepared[i]) {
      usable.push_back(i);
      to_align.push_back(*prepared[i]);
    }
  std::vector<Alignment> found = registration.align_many(to_align);
  for (std::size_t i = 0; i < usable.size(); ++i)
    estimated[usable[i]].alignment = std::move(found[i]);
  divide_cpu_time(1e3 * watch.cpu_seconds(), estimated);
  for (std::size_t i = 0; i < usable.size(); ++i)
    estimated[usable[i]].searched = searched_rotation(to_align[i]);
  return estimated;
}

}  // namespace pointpng
