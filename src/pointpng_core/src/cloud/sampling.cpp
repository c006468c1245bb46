#include "cloud/sampling.h"

#include <new>

#include "cloud/simd.h"

namespace pointpng {
namespace kernels {

constexpr std::align_val_t kAlignment{64};

ColumnBuffer::ColumnBuffer(std::int64_t count)
    : count_(count),
      padded_(simd::padded(count)),
      data_(static_cast<float*>(
          ::operator new[](static_cast<std::size_t>(4 * padded_) * sizeof(float), kAlignment))) {}

ColumnBuffer::~ColumnBuffer() { ::operator delete[](data_, kAlignment); }

Columns ColumnBuffer::load(const float* rows) {
  float *x = data_, *y = x + padded_, *z = y + padded_;
  for (std::int64_t i = 0; i < padded_; ++i) {
    const float* row = rows + 3 * (i < count_ ? i : 0);
    x[i] = row[0];
    y[i] = row[1];
    z[i] = row[2];
  }
  return {x, y, z, count_, padded_};
}

}  // namespace kernels

std::int64_t farthest_from_centroid(const Cloud& cloud) {
  const Eigen::RowVector3f centroid = cloud.colwise().mean();
  Eigen::Index row = 0;
  (cloud.rowwise() - centroid).rowwise().squaredNorm().maxCoeff(&row);
  return row;
}

std::vector<std::int64_t> farthest_point_sample(const Cloud& cloud, std::int64_t count,
                                                std::int64_t start) {
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(count));
  kernels::ColumnBuffer buffer(cloud.rows());
  kernels::farthest_points(buffer.load(cloud.data()), start, count, buffer.scratch(),
                           chosen.data());
  return chosen;
}

Neighbours nearest_neighbours(const Cloud& cloud, const Cloud& queries, std::int64_t k) {
  Neighbours found(queries.rows(), k);
  kernels::ColumnBuffer buffer(cloud.rows());
  const kernels::Columns columns = buffer.load(cloud.data());
  std::vector<std::int64_t> keys(static_cast<std::size_t>(columns.padded + simd::kLanes));
  kernels::NeighbourScratch scratch{buffer.scratch(), keys.data()};
  for (Eigen::Index i = 0; i < queries.rows(); ++i)
    kernels::nearest(columns, queries.data() + 3 * i, k, scratch, found.data() + i * k);
  return found;
}

}  // namespace pointpng
