#pragma once

#include <exception>
#include <rclcpp/rclcpp.hpp>
#include <utility>

namespace pointpng_ros {

/// Runs an action that queries the ROS graph. Queries throw during shutdown, which is no failure.
template <class Action>
void while_running(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const std::exception&) {
    if (rclcpp::ok()) throw;
  }
}

}  // namespace pointpng_ros
