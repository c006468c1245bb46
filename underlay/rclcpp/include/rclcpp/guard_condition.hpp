#pragma once

#include <memory>
#include <rcl/guard_condition.h>

#include "rclcpp/context.hpp"

namespace rclcpp {

/// Wakes an executor that waits.
class GuardCondition {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GuardCondition);

  explicit GuardCondition(Context::SharedPtr context = contexts::get_global_default_context());
  ~GuardCondition();
  RCLCPP_DISABLE_COPY(GuardCondition);

  void trigger();
  const rcl_guard_condition_t& get_rcl_guard_condition() const { return guard_condition_; }

 private:
  std::shared_ptr<rcl_context_t> context_;  // must outlive the guard condition
  rcl_guard_condition_t guard_condition_;
};

}  // namespace rclcpp
