#include "rclcpp/logger.hpp"

#include <rcl/error_handling.h>
#include <rcl/logging_rosout.h>

#include "logging_mutex.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp {

Logger get_logger(const std::string& name) { return Logger(name); }

Logger Logger::get_child(const std::string& suffix) {
  if (name_.empty()) return Logger(suffix);
  Logger child(name_ + "." + suffix);
  const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
  const rcl_ret_t ret = rcl_logging_rosout_add_sublogger(name_.c_str(), suffix.c_str());
  if (ret != RCL_RET_OK) {
    rcl_reset_error();  // the parent is no node's logger, and has no /rosout to share
    return child;
  }
  child.rosout_registration_ = std::shared_ptr<void>(nullptr, [parent = name_, suffix](void*) {
    const std::lock_guard<std::recursive_mutex> late_lock(detail::logging_mutex());
    if (rcl_logging_rosout_remove_sublogger(parent.c_str(), suffix.c_str()) != RCL_RET_OK)
      rcl_reset_error();
  });
  return child;
}

void Logger::set_level(Level level) {
  const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
  if (rcutils_logging_set_logger_level(name_.c_str(), static_cast<int>(level)) != RCUTILS_RET_OK)
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "couldn't set logger level");
}

Logger::Level Logger::get_effective_level() const {
  const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
  return static_cast<Level>(rcutils_logging_get_logger_effective_level(name_.c_str()));
}

}  // namespace rclcpp
