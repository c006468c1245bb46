#pragma once

#include <cstddef>
#include <memory>
#include <rcl/wait.h>

namespace rclcpp::detail {

/// What an executor waits for: a subscription, a timer, a service or a client.
class Entity {
 public:
  enum class Kind { kSubscription, kTimer, kClient, kService };

  virtual ~Entity() = default;
  virtual Kind kind() const = 0;

  /// An entity is in one wait set at a time and remembers its place there.
  virtual void add_to(rcl_wait_set_t& set) = 0;
  virtual bool is_ready(const rcl_wait_set_t& set) const = 0;

  /// Called under the executor's lock, by the thread that will call execute(); false: nothing to do
  /// any more.
  virtual bool claim() { return true; }
  virtual void execute() = 0;

 protected:
  std::size_t index_ = 0;
};

}  // namespace rclcpp::detail
