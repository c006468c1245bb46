#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "io/point_layout.h"
#include "io/subset.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

[[noreturn]] void fail(const PointCloud2& message, const std::string& what) {
  throw InputError(fmt::format("the PointCloud2 message of frame '{}' {}",
                               message.frame_id.substr(0, 80), what));
}

std::optional<Scalar> scalar_of(std::uint8_t datatype) {
  static constexpr Scalar kTypes[] = {Scalar::kInt8,    Scalar::kUInt8,  Scalar::kInt16,
                                      Scalar::kUInt16,  Scalar::kInt32,  Scalar::kUInt32,
                                      Scalar::kFloat32, Scalar::kFloat64};
  if (datatype < 1 || datatype > std::size(kTypes)) return std::nullopt;
  return kTypes[datatype - 1];
}

PointLayout layout_of(const PointCloud2& message) {
  PointLayout layout;
  layout.stride = message.point_step;
  layout.order = message.is_bigendian ? std::endian::big : std::endian::little;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    const auto field = std::ranges::find(message.fields, name, &PointField::name);
    if (field == message.fields.end()) fail(message, fmt::format("has no field '{}'", name));
    const auto type = scalar_of(field->datatype);
    if (!type)
      fail(message, fmt::format("has a field '{}' of unknown type {}", name, field->datatype));
    if (field->offset + std::uint64_t{size_of(*type)} > message.point_step)
      fail(message, fmt::format("has '{}' at byte {} of points that have {} bytes", name,
                                field->offset, message.point_step));
    layout.offset[axis] = field->offset;
    layout.type[axis] = *type;
  }
  return layout;
}

/// Width, height and steps must agree with each other and with the data that is there.
void check_sizes(const PointCloud2& message, std::size_t bytes) {
  const std::uint64_t row_bytes = std::uint64_t{message.width} * message.point_step;
  if (message.row_step < row_bytes)
    fail(message, fmt::format("has rows of {} bytes for {} points of {} bytes", message.row_step,
                              message.width, message.point_step));
  const std::uint64_t needed = std::uint64_t{message.row_step} * (message.height - 1) + row_bytes;
  if (needed > bytes)
    fail(message, fmt::format("promises {} x {} points, {} bytes, but has {}", message.width,
                              message.height, needed, bytes));
}

}  // namespace

Cloud to_cloud(const PointCloud2& message, std::size_t* dropped) {
  return to_cloud(message, message.data, dropped);
}

Cloud to_cloud(const PointCloud2& message, std::span<const std::byte> data, std::size_t* dropped) {
  if (dropped) *dropped = 0;
  if (message.width == 0 || message.height == 0) return Cloud(0, 3);
  const PointLayout layout = layout_of(message);
  check_sizes(message, data.size());
  Cloud points(static_cast<Eigen::Index>(message.width) * message.height, 3);
  for (std::uint32_t row = 0; row < message.height; ++row)
    copy_points(data.data() + std::size_t{row} * message.row_step, layout, message.width, points,
                static_cast<Eigen::Index>(row) * message.width);
  // is_dense is ignored: drivers get it wrong.
  const std::size_t gone = drop_non_finite(points);
  if (dropped) *dropped = gone;
  return points;
}

PointCloud2 from_cloud(const Cloud& points, std::string frame_id, std::int64_t stamp_ns) {
  PointCloud2 message;
  message.stamp_ns = stamp_ns;
  message.frame_id = std::move(frame_id);
  message.width = static_cast<std::uint32_t>(points.rows());
  message.fields = {{"x", 0}, {"y", 4}, {"z", 8}};
  message.point_step = 12;
  message.row_step = message.width * 12;
  message.is_dense = points.allFinite();
  message.data.resize(message.row_step);
  if (message.row_step > 0) std::memcpy(message.data.data(), points.data(), message.row_step);
  return message;
}

}  // namespace pointpng
