#pragma once

#include <bit>
#include <cstddef>

#include "io/scalar.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Where x, y and z are inside the record of one point.
struct PointLayout {
  std::size_t offset[3] = {0, 4, 8};
  Scalar type[3] = {Scalar::kFloat32, Scalar::kFloat32, Scalar::kFloat32};
  std::size_t stride = 12;  ///< bytes from one point to the next
  std::endian order = std::endian::little;
};

/// Copies `count` points that start at `bytes` into rows `first` … of `points`.
/// The caller has checked that the bytes are there and that the rows exist.
void copy_points(const std::byte* bytes, const PointLayout& layout, std::size_t count,
                 Cloud& points, Eigen::Index first = 0);

}  // namespace pointpng
