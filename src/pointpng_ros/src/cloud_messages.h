#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <cstddef>
#include <cstdint>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <std_msgs/msg/header.hpp>
#include <string>

#include "pointpng/io.h"
#include "pointpng/cloud.h"

namespace pointpng_ros {

/// The valid points of a sensor's message: without NaN, infinity and returns that are missing.
/// `dropped` is set to the number of the others. Throws `InputError` for a broken message.
pointpng::Cloud to_cloud(const sensor_msgs::msg::PointCloud2& message,
                         std::size_t* dropped = nullptr);

/// An unorganised message with float x y z.
sensor_msgs::msg::PointCloud2 to_message(const pointpng::Cloud& points,
                                         const std_msgs::msg::Header& header);

/// As it was recorded, with all of its fields.
sensor_msgs::msg::PointCloud2 to_message(const pointpng::PointCloud2& recorded);

/// As a bag holds it.
pointpng::PointCloud2 to_recorded(const sensor_msgs::msg::PointCloud2& message);

builtin_interfaces::msg::Time to_stamp(std::int64_t nanoseconds);
std::int64_t to_nanoseconds(const builtin_interfaces::msg::Time& stamp);

}  // namespace pointpng_ros
