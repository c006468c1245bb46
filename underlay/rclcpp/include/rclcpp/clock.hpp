#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <rcl/time.h>

#include "rclcpp/context.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/time.hpp"

namespace rclcpp {

/// Callbacks for a clock's jumps; lives as long as they are wanted.
class JumpHandler {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(JumpHandler);
  using pre_callback_t = std::function<void()>;
  using post_callback_t = std::function<void(const rcl_time_jump_t&)>;

  JumpHandler(pre_callback_t pre, post_callback_t post, const rcl_jump_threshold_t& threshold)
      : pre_callback(std::move(pre)), post_callback(std::move(post)), notice_threshold(threshold) {}

  pre_callback_t pre_callback;
  post_callback_t post_callback;
  rcl_jump_threshold_t notice_threshold;
};

/// RCL_SYSTEM_TIME, RCL_STEADY_TIME, or RCL_ROS_TIME: system time unless simulated time overrides
/// it.
class Clock {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Clock);

  explicit Clock(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);

  Time now() const;

  /// False where a shutdown or a jump of the kind of time ended the sleep.
  bool sleep_until(Time until, Context::SharedPtr context = contexts::get_global_default_context());
  bool sleep_for(Duration duration,
                 Context::SharedPtr context = contexts::get_global_default_context());

  bool ros_time_is_active();
  rcl_clock_type_t get_clock_type() const noexcept;
  rcl_clock_t* get_clock_handle() noexcept { return &impl_->clock; }
  std::mutex& get_clock_mutex() noexcept { return impl_->mutex; }

  JumpHandler::SharedPtr create_jump_callback(JumpHandler::pre_callback_t pre,
                                              JumpHandler::post_callback_t post,
                                              const rcl_jump_threshold_t& threshold);

 private:
  struct Impl {
    explicit Impl(rcl_clock_type_t type);
    ~Impl();
    rcl_clock_t clock = {};
    rcl_allocator_t allocator = rcl_get_default_allocator();
    std::mutex mutex;  // rcl's clocks are not safe for threads by themselves
  };
  std::shared_ptr<Impl> impl_;
};

}  // namespace rclcpp
