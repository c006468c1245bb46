#include "rclcpp/exceptions.hpp"

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

namespace rclcpp {
namespace {

std::string list(const std::vector<std::string>& arguments) {
  std::string text = "found unknown ROS arguments:";
  for (const auto& argument : arguments) text += " '" + argument + "'";
  return text;
}

}  // namespace

namespace exceptions {

UnknownROSArgsError::UnknownROSArgsError(std::vector<std::string> unknown)
    : std::runtime_error(list(unknown)), unknown_ros_args(std::move(unknown)) {}

void throw_from_rcl_error(rcl_ret_t ret, const std::string& prefix) {
  const std::string reason = rcl_error_is_set() ? rcl_get_error_string().str : "unknown error";
  rcl_reset_error();
  const std::string message = prefix.empty() ? reason : prefix + ": " + reason;
  switch (ret) {
    case RCL_RET_BAD_ALLOC:
      throw std::bad_alloc();
    case RCL_RET_INVALID_ARGUMENT:
    case RCL_RET_INVALID_ROS_ARGS:
      throw RCLInvalidArgument(ret, message);
    case RCL_RET_NODE_INVALID_NAME:
      throw InvalidNodeNameError(message);
    case RCL_RET_NODE_INVALID_NAMESPACE:
      throw InvalidNamespaceError(message);
    case RCL_RET_TOPIC_NAME_INVALID:
    case RCL_RET_UNKNOWN_SUBSTITUTION:
      throw InvalidTopicNameError(message);
    case RCL_RET_SERVICE_NAME_INVALID:
      throw InvalidServiceNameError(message);
    default:
      throw RCLError(ret, message);
  }
}

}  // namespace exceptions

void detail::check_quietly(rcl_ret_t ret, const char* what) noexcept {
  if (ret == RCL_RET_OK) return;
  RCUTILS_LOG_ERROR_NAMED("rclcpp", "%s: %s", what, rcl_get_error_string().str);
  rcl_reset_error();
}

}  // namespace rclcpp
