#include "io/point_layout.h"

#include <cstring>

namespace pointpng {
namespace {

/// The common case: x y z as consecutive native floats.
bool is_packed_float(const PointLayout& layout) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (layout.type[axis] != Scalar::kFloat32) return false;
    if (layout.offset[axis] != layout.offset[0] + 4 * axis) return false;
  }
  return layout.order == std::endian::native;
}

}  // namespace

void copy_points(const std::byte* bytes, const PointLayout& layout, std::size_t count,
                 Cloud& points, Eigen::Index first) {
  if (count == 0) return;
  float* out = points.data() + 3 * first;
  if (is_packed_float(layout)) {
    const std::byte* in = bytes + layout.offset[0];
    if (layout.stride == 12) {
      std::memcpy(out, in, 12 * count);
    } else {
      for (std::size_t i = 0; i < count; ++i) std::memcpy(out + 3 * i, in + i * layout.stride, 12);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      out[3 * i + axis] = static_cast<float>(load_scalar(
          layout.type[axis], bytes + i * layout.stride + layout.offset[axis], layout.order));
}

}  // namespace pointpng
