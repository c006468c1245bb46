#pragma once

#include <mutex>

namespace rclcpp::detail {

/// Guards rcl's logging, which is not safe for threads by itself.
std::recursive_mutex& logging_mutex();

}  // namespace rclcpp::detail
