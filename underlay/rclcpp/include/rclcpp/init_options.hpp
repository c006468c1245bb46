#pragma once

#include <cstddef>
#include <optional>

namespace rclcpp {

/// How a context starts.
class InitOptions {
 public:
  bool shutdown_on_signal = true;

  bool auto_initialize_logging() const { return auto_initialize_logging_; }
  InitOptions& auto_initialize_logging(bool initialize) {
    auto_initialize_logging_ = initialize;
    return *this;
  }

  /// Without a value, ROS_DOMAIN_ID decides.
  void set_domain_id(std::size_t domain_id) { domain_id_ = domain_id; }
  std::optional<std::size_t> chosen_domain_id() const { return domain_id_; }

 private:
  bool auto_initialize_logging_ = true;
  std::optional<std::size_t> domain_id_;
};

}  // namespace rclcpp
