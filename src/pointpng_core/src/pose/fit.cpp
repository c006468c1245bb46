#include "pose/fit.h"

#include <algorithm>
#include <cmath>

#include "pose/parameters.h"

namespace pointpng {
namespace {

/// Sums over the points of one cloud that lie near the other's surface.
struct OneWay {
  float score = 0.0F, weight = 0.0F, overlap = 0.0F, square = 0.0F, in_free_space = 0.0F;
  int counted = 0;
};

/// What a point contributes to the score, and its signed distance from the surface. A point in free
/// space is evidence against the pose; what lies outside the overlap or is hidden is none.
struct PointFit {
  enum class Kind { kInlier, kFreeSpace, kOutside } kind;
  float weight = 1.0F, score = 0.0F, height = 0.0F;  ///< the score is weighted
};

/// Calls `use` with every `step`-th point's fit.
template <typename Use>
void for_each_point(const PreparedCloudData& from, const PreparedCloudData& to,
                    const RigidTransform& pose, Eigen::Index step, float inlier_distance, Use use) {
  const float limit = inlier_distance * inlier_distance;
  const float margin = kVisibility.margin / kPair.inlier_distance * inlier_distance;
  const float off_plane_limit = kFit.plane_distance * kFit.plane_distance * limit;
  for (Eigen::Index i = 0; i < from.points.rows(); i += step) {
    const Eigen::Vector3f place = pose * (from.points.row(i).transpose());
    const float weight = from.weights[static_cast<std::size_t>(i)];
    const int j = to.field.nearest(place);
    const Eigen::Vector3f offset =
        j < 0 ? Eigen::Vector3f::Zero() : Eigen::Vector3f(place - to.points.row(j).transpose());
    const float square = offset.squaredNorm();
    if (j < 0 || square >= limit) {
      const bool is_free = to.look_at(place, margin) == RangeImage::Place::kFree;
      use(is_free ? PointFit{PointFit::Kind::kFreeSpace, weight, -kVisibility.free_space * weight}
                  : PointFit{PointFit::Kind::kOutside, weight});
      continue;
    }
    const Eigen::Vector3f normal = to.normals.row(j).transpose();
    const float cosine = std::abs(normal.dot(pose.rotation * from.normals.row(i).transpose()));
    const float height = normal.dot(offset);
    const float on_plane = 1.0F - height * height / off_plane_limit;
    const float closeness =
        on_plane >= 0.0F ? on_plane : kFit.near_miss * std::max(-1.0F, on_plane);
    use({PointFit::Kind::kInlier, weight,
         weight * closeness * (1.0F - 0.5F * square / limit) * cosine, height});
  }
}

OneWay measure_one_way(const PreparedCloudData& from, const PreparedCloudData& to,
                       const RigidTransform& pose, std::int64_t points, float inlier_distance) {
  OneWay sum;
  for_each_point(from, to, pose, stride(from, points), inlier_distance, [&](const PointFit& point) {
    ++sum.counted;
    sum.score += point.score;
    sum.weight += point.weight;
    sum.overlap += point.kind == PointFit::Kind::kInlier ? 1.0F : 0.0F;
    sum.square += point.height * point.height;
    sum.in_free_space += point.kind == PointFit::Kind::kFreeSpace ? 1.0F : 0.0F;
  });
  return sum;
}

/// Mean difference of the points' scores, and the square of its standard error.
struct Difference {
  double mean = 0.0, variance = 0.0;
};

Difference difference(const std::vector<float>& one, const std::vector<float>& other) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double step = static_cast<double>(one[i]) - other[i];
    sum += step;
    squares += step * step;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, one.size()));
  const double mean = sum / count;
  return {mean, std::max(0.0, squares / count - mean * mean) / count};
}

/// Share of pairs of neighbours of which one is marked.
float borders(const PreparedCloudData& cloud, const std::vector<char>& marked) {
  Eigen::Index borders = 0;
  for (Eigen::Index i = 0; i < cloud.neighbours.rows(); ++i)
    for (Eigen::Index k = 0; k < cloud.neighbours.cols(); ++k)
      borders += marked[static_cast<std::size_t>(i)] !=
                         marked[static_cast<std::size_t>(cloud.neighbours(i, k))]
                     ? 1
                     : 0;
  return static_cast<float>(borders) /
         static_cast<float>(std::max<Eigen::Index>(1, cloud.neighbours.size()));
}

}  // namespace

Fit measure_fit(const PreparedCloudData& source, const PreparedCloudData& target,
                const RigidTransform& pose, std::int64_t points, float inlier_distance) {
  const OneWay there = measure_one_way(source, target, pose, points, inlier_distance);
  const OneWay back = measure_one_way(target, source, pose.inverse(), points, inlier_distance);
  const auto share = [](float sum, int count) {
    return sum / static_cast<float>(std::max(1, count));
  };
  Fit fit;
  fit.score = 0.5F * (there.score / std::max(1e-6F, there.weight) +
                      back.score / std::max(1e-6F, back.weight));
  fit.source_overlap = share(there.overlap, there.counted);
  fit.target_overlap = share(back.overlap, back.counted);
  fit.contradiction =
      std::max(share(there.in_free_space, there.counted), share(back.in_free_space, back.counted));
  fit.residual =
      std::sqrt((there.square + back.square) / std::max(1.0F, there.overlap + back.overlap));
  return fit;
}

PointwiseFit pointwise_fit(const PreparedCloudData& source, const PreparedCloudData& target,
                           const RigidTransform& pose, float inlier_distance) {
  PointwiseFit fit;
  const auto collect = [&](const PreparedCloudData& from, const PreparedCloudData& to,
                           const RigidTransform& motion, std::vector<float>& scores,
                           std::vector<char>& inliers) {
    for_each_point(from, to, motion, 1, inlier_distance, [&](const PointFit& point) {
      scores.push_back(point.score);
      inliers.push_back(point.kind == PointFit::Kind::kInlier ? 1 : 0);
    });
  };
  collect(source, target, pose, fit.source_score, fit.source_inlier);
  collect(target, source, pose.inverse(), fit.target_score, fit.target_inlier);
  return fit;
}

float separation(const PointwiseFit& first, const PointwiseFit& second) {
  const Difference source = difference(first.source_score, second.source_score),
                   target = difference(first.target_score, second.target_score);
  const double error = std::sqrt(source.variance + target.variance);
  return error > 0.0 ? static_cast<float>((source.mean + target.mean) / error) : 0.0F;
}

float fragmentation(const PreparedCloudData& source, const PreparedCloudData& target,
                    const PointwiseFit& fit) {
  return borders(source, fit.source_inlier) + borders(target, fit.target_inlier);
}

}  // namespace pointpng
