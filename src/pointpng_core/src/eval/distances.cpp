#include "eval/distances.h"

#include <algorithm>

#include <torch/types.h>

#include "base/rows.h"
#include "model/batch.h"
#include "model/sampling.h"

namespace pointpng {
namespace {

/// Number of points of a large cloud that a mean is computed from.
constexpr Eigen::Index kAsked = 1024;

/// Distance of each point to the k-th nearest (from 1) of `to`.
Eigen::VectorXf kth_distances(const Cloud& from, const Cloud& to, std::int64_t k) {
  const Tensor found = sampler_for(torch::kCPU).nearest(as_batch(to), as_batch(from), k);
  const auto indices = found.accessor<std::int64_t, 3>();
  Eigen::VectorXf distances(from.rows());
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    distances[i] = (from.row(i) - to.row(indices[0][i][k - 1])).norm();
  return distances;
}

}  // namespace

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
