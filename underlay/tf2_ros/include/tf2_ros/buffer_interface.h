#pragma once

#include <rclcpp/duration.hpp>
#include <rclcpp/time.hpp>
#include <tf2/time.h>

namespace tf2_ros {

inline tf2::TimePoint fromRclcpp(const rclcpp::Time& time) {
  return tf2::TimePoint(std::chrono::nanoseconds(time.nanoseconds()));
}
inline tf2::Duration fromRclcpp(const rclcpp::Duration& duration) {
  return tf2::Duration(std::chrono::nanoseconds(duration.nanoseconds()));
}
inline rclcpp::Time toRclcpp(const tf2::TimePoint& time) {
  return rclcpp::Time(time.time_since_epoch().count());
}
inline rclcpp::Duration toRclcpp(const tf2::Duration& duration) {
  return rclcpp::Duration(duration);
}
inline tf2::TimePoint fromMsg(const builtin_interfaces::msg::Time& stamp) {
  return fromRclcpp(rclcpp::Time(stamp));
}
inline builtin_interfaces::msg::Time toMsg(const tf2::TimePoint& time) { return toRclcpp(time); }

}  // namespace tf2_ros
