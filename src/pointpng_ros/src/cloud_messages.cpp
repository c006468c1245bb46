#include "cloud_messages.h"

#include <cstring>
#include <span>

#include "pointpng/io.h"

namespace pointpng_ros {
namespace {

using Message = sensor_msgs::msg::PointCloud2;

/// Everything but the bytes, which may be many.
pointpng::PointCloud2 layout_of(const Message& message) {
  pointpng::PointCloud2 layout;
  layout.stamp_ns = to_nanoseconds(message.header.stamp);
  layout.frame_id = message.header.frame_id;
  layout.height = message.height;
  layout.width = message.width;
  for (const auto& field : message.fields)
    layout.fields.push_back({field.name, field.offset, field.datatype, field.count});
  layout.is_bigendian = message.is_bigendian;
  layout.point_step = message.point_step;
  layout.row_step = message.row_step;
  layout.is_dense = message.is_dense;
  return layout;
}

}  // namespace

StampedCloud to_stamped_cloud(const Message& message, std::size_t* num_invalid) {
  const pointpng::PointCloud2 layout = layout_of(message);
  StampedCloud cloud;
  cloud.frame = layout.frame_id;
  cloud.stamp_ns = layout.stamp_ns;
  std::size_t dropped = 0;
  cloud.points = pointpng::to_cloud(layout, std::as_bytes(std::span(message.data)), &dropped);
  dropped += pointpng::drop_missing_returns(cloud.points);
  if (num_invalid != nullptr) *num_invalid = dropped;
  return cloud;
}

std_msgs::msg::Header to_header(const std::string& frame, std::int64_t stamp_ns) {
  std_msgs::msg::Header header;
  header.frame_id = frame;
  header.stamp = to_stamp(stamp_ns);
  return header;
}

Message to_message(const pointpng::Cloud& points, const std_msgs::msg::Header& header) {
  Message message =
      to_message(pointpng::from_cloud(points, header.frame_id, to_nanoseconds(header.stamp)));
  message.header = header;
  return message;
}

Message to_message(const pointpng::PointCloud2& recorded) {
  Message message;
  message.header.stamp = to_stamp(recorded.stamp_ns);
  message.header.frame_id = recorded.frame_id;
  message.height = recorded.height;
  message.width = recorded.width;
  for (const pointpng::PointField& field : recorded.fields) {
    message.fields.emplace_back();
    message.fields.back().name = field.name;
    message.fields.back().offset = field.offset;
    message.fields.back().datatype = field.datatype;
    message.fields.back().count = field.count;
  }
  message.is_bigendian = recorded.is_bigendian;
  message.point_step = recorded.point_step;
  message.row_step = recorded.row_step;
  message.is_dense = recorded.is_dense;
  message.data.resize(recorded.data.size());
  if (!recorded.data.empty())
    std::memcpy(message.data.data(), recorded.data.data(), recorded.data.size());
  return message;
}

pointpng::PointCloud2 to_recorded(const Message& message) {
  pointpng::PointCloud2 recorded = layout_of(message);
  const auto bytes = std::as_bytes(std::span(message.data));
  recorded.data.assign(bytes.begin(), bytes.end());
  return recorded;
}

builtin_interfaces::msg::Time to_stamp(std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  builtin_interfaces::msg::Time stamp;
  std::int64_t seconds = nanoseconds / kSecond, rest = nanoseconds % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  stamp.sec = static_cast<std::int32_t>(seconds);
  stamp.nanosec = static_cast<std::uint32_t>(rest);
  return stamp;
}

std::int64_t to_nanoseconds(const builtin_interfaces::msg::Time& stamp) {
  return std::int64_t{stamp.sec} * 1'000'000'000 + stamp.nanosec;
}

}  // namespace pointpng_ros
