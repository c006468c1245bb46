#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pointpng/base/cloud.h"

namespace pointpng {

/// sensor_msgs/msg/PointField.
struct PointField {
  std::string name;
  std::uint32_t offset = 0;  ///< bytes from the start of the point
  std::uint8_t datatype =
      7;  ///< INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 = 8
  std::uint32_t count = 1;
};

/// sensor_msgs/msg/PointCloud2, without ROS.
struct PointCloud2 {
  std::int64_t stamp_ns = 0;
  std::string frame_id;
  std::uint32_t height = 1;
  std::uint32_t width = 0;
  std::vector<PointField> fields;
  bool is_bigendian = false;
  std::uint32_t point_step = 0;
  std::uint32_t row_step = 0;
  std::vector<std::byte> data;
  bool is_dense = false;
};

/// The finite points of a message, row by row; `dropped` is set to the number of the others. Throws
/// `InputError` where x, y, z are missing or the message's sizes contradict each other.
Cloud to_cloud(const PointCloud2& message, std::size_t* dropped = nullptr);

/// The same of a message whose bytes are elsewhere; `message.data` is not looked at.
Cloud to_cloud(const PointCloud2& message, std::span<const std::byte> data,
               std::size_t* dropped = nullptr);

/// An unorganised message with float x y z.
PointCloud2 from_cloud(const Cloud& points, std::string frame_id, std::int64_t stamp_ns);

}  // namespace pointpng
