#include "eval/distances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <torch/types.h>

#include "base/rows.h"
#include "cloud/normals.h"
#include "model/batch.h"
#include "model/sampling.h"

namespace pointpng {
namespace {

/// Number of points of a large cloud that a mean is computed from.
constexpr Eigen::Index kAsked = 1024;

/// For each point, the rows of the k nearest of `to`.
Tensor nearest_rows(const Cloud& from, const Cloud& to, std::int64_t k) {
  return sampler_for(torch::kCPU).nearest(as_batch(to), as_batch(from), k);
}

/// Distance of each point to the k-th nearest (from 1) of `to`.
Eigen::VectorXf kth_distances(const Cloud& from, const Cloud& to, std::int64_t k) {
  const Tensor found = nearest_rows(from, to, k);
  const auto indices = found.accessor<std::int64_t, 3>();
  Eigen::VectorXf distances(from.rows());
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    distances[i] = (from.row(i) - to.row(indices[0][i][k - 1])).norm();
  return distances;
}

/// A surface of discs around points.
struct Discs {
  Cloud points, normals;
  float radius;
};

float distance_to_disc(const Eigen::RowVector3f& point, const Discs& discs, Eigen::Index row) {
  const Eigen::RowVector3f offset = point - discs.points.row(row);
  const float height = offset.dot(discs.normals.row(row));
  const float along = std::sqrt(std::max(0.0F, offset.squaredNorm() - height * height));
  return std::hypot(height, std::max(0.0F, along - discs.radius));
}

/// The distance to the discs that all but the 1 % farthest points have at most.
double farthest_distance(const Cloud& points, const Discs& discs) {
  constexpr std::int64_t kNear = 6;  // at an edge the nearest point may be on the other side
  constexpr double kCounted = 0.99;
  const Tensor found = nearest_rows(points, discs.points, kNear);
  const auto rows = found.accessor<std::int64_t, 3>();
  std::vector<float> distances;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    float least = std::numeric_limits<float>::max();
    for (std::int64_t k = 0; k < kNear; ++k)
      least = std::min(least, distance_to_disc(points.row(i), discs, rows[0][i][k]));
    distances.push_back(least);
  }
  const auto last = distances.begin() + static_cast<std::ptrdiff_t>(
                                            kCounted * static_cast<double>(distances.size() - 1));
  std::ranges::nth_element(distances, last);
  return *last;
}

}  // namespace

double symmetry_distance(const Cloud& object, const Eigen::Isometry3d& motion) {
  constexpr Eigen::Index kMost = 4096;
  constexpr int kNeighbours = 12;
  constexpr double kDiscRadius = 2.5;  // spacings: no holes in a random sample
  const Cloud points = thinned(object, kMost);
  const Discs discs{points, outward_normals(points, kNeighbours),
                    static_cast<float>(kDiscRadius * mean_spacing(points))};
  return std::max(farthest_distance(transformed(points, motion), discs),
                  farthest_distance(transformed(points, motion.inverse()), discs));
}

Eigen::VectorXf nearest_distances(const Cloud& from, const Cloud& to) {
  return kth_distances(from, to, 1);
}

double mean_spacing(const Cloud& cloud) {
  if (cloud.rows() < 2) return 0.0;
  return kth_distances(thinned(cloud, kAsked), cloud, 2).cast<double>().mean();
}

Cloud thinned(const Cloud& cloud, Eigen::Index count) {
  if (cloud.rows() <= count) return cloud;
  Cloud chosen(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) chosen.row(i) = cloud.row(i * cloud.rows() / count);
  return chosen;
}

double surface_distance(const Cloud& source, const Eigen::Isometry3d& estimate,
                        const Eigen::Isometry3d& truth) {
  // In the source's own frame, so that far-away targets cost no precision.
  const Cloud back = transformed(thinned(source, kAsked), truth.inverse() * estimate);
  return nearest_distances(back, source).cast<double>().mean();
}

}  // namespace pointpng
