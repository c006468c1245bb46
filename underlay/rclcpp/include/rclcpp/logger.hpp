#pragma once

#include <memory>
#include <rcutils/logging.h>
#include <string>

namespace rclcpp {

/// The name under which something logs.
class Logger {
 public:
  enum class Level {
    Unset = RCUTILS_LOG_SEVERITY_UNSET,
    Debug = RCUTILS_LOG_SEVERITY_DEBUG,
    Info = RCUTILS_LOG_SEVERITY_INFO,
    Warn = RCUTILS_LOG_SEVERITY_WARN,
    Error = RCUTILS_LOG_SEVERITY_ERROR,
    Fatal = RCUTILS_LOG_SEVERITY_FATAL,
  };

  const char* get_name() const { return name_.c_str(); }
  Logger get_child(const std::string& suffix);
  void set_level(Level level);
  Level get_effective_level() const;

 private:
  explicit Logger(std::string name) : name_(std::move(name)) {}
  friend Logger get_logger(const std::string& name);

  std::string name_;
  std::shared_ptr<void> rosout_registration_;  // of a node's child
};

Logger get_logger(const std::string& name);

}  // namespace rclcpp
