#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <std_msgs/msg/header.hpp>
#include <string>
#include <utility>

#include "pointpng/cloud.h"
#include "pointpng/io.h"
#include "stamped.h"

namespace pointpng_ros {

/// The valid points of a sensor's message: without NaN, infinity and missing returns, whose number
/// goes to `num_invalid`. Throws `InputError` for a broken message.
StampedCloud to_stamped_cloud(const sensor_msgs::msg::PointCloud2& message,
                              std::size_t* num_invalid = nullptr);

std_msgs::msg::Header to_header(const std::string& frame, std::int64_t stamp_ns);

/// An unorganised message with float x y z.
sensor_msgs::msg::PointCloud2 to_message(const pointpng::Cloud& points,
                                         const std_msgs::msg::Header& header);

/// Publishes a cloud without a copy: a node of the same process that uses intra-process
/// communication gets this very message.
template <class Publisher>
void hand_over(Publisher& publisher, sensor_msgs::msg::PointCloud2 cloud) {
  publisher.publish(std::make_unique<sensor_msgs::msg::PointCloud2>(std::move(cloud)));
}

/// As it was recorded, with all of its fields.
sensor_msgs::msg::PointCloud2 to_message(const pointpng::PointCloud2& recorded);

/// As bags store it.
pointpng::PointCloud2 to_recorded(const sensor_msgs::msg::PointCloud2& message);

builtin_interfaces::msg::Time to_stamp(std::int64_t nanoseconds);
std::int64_t to_nanoseconds(const builtin_interfaces::msg::Time& stamp);

}  // namespace pointpng_ros
