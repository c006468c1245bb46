#pragma once

#include <exception>
#include <rclcpp/rclcpp.hpp>
#include <utility>

namespace pointpng_ros {

/// Does what asks the graph. Questions throw once the program is being stopped, which is no failure
/// then.
template <class Action>
void while_running(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const std::exception&) {
    if (rclcpp::ok()) throw;
  }
}

}  // namespace pointpng_ros
