#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "cloud/sampling_kernels.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// The point farthest from the centroid: a start for farthest point sampling that is the same
/// whichever way the cloud is rotated.
std::int64_t farthest_from_centroid(const Cloud& cloud);

/// Farthest point sampling: rows chosen one after the other, each the farthest from those before,
/// beginning with `start`. Ties go to the smaller row. Needs count <= rows.
std::vector<std::int64_t> farthest_point_sample(const Cloud& cloud, std::int64_t count,
                                                std::int64_t start);

/// Rows of the k nearest neighbours of each query, nearest first: [Q, k].
using Neighbours = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Neighbours nearest_neighbours(const Cloud& cloud, const Cloud& queries, std::int64_t k);

namespace kernels {

/// Memory for one cloud's coordinates as three aligned, padded arrays, and for scratch space.
class ColumnBuffer {
 public:
  explicit ColumnBuffer(std::int64_t count);
  ~ColumnBuffer();
  ColumnBuffer(const ColumnBuffer&) = delete;
  ColumnBuffer& operator=(const ColumnBuffer&) = delete;

  Columns load(const float* rows);  ///< x y z of each point, one after the other
  float* scratch() { return data_ + 3 * padded_; }

 private:
  std::int64_t count_, padded_;
  float* data_;
};

}  // namespace kernels

}  // namespace pointpng
