#pragma once

#include <rmw/types.h>

namespace rclcpp {

/// Where a message came from and when.
class MessageInfo {
 public:
  MessageInfo() = default;
  explicit MessageInfo(const rmw_message_info_t& info) : info_(info) {}
  const rmw_message_info_t& get_rmw_message_info() const { return info_; }
  rmw_message_info_t& get_rmw_message_info() { return info_; }

 private:
  rmw_message_info_t info_ = rmw_get_zero_initialized_message_info();
};

}  // namespace rclcpp
