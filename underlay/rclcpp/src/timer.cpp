#include "rclcpp/timer.hpp"

#include <rcl/error_handling.h>

#include "rclcpp/exceptions.hpp"

namespace rclcpp {

TimerBase::TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period,
                     std::function<void(TimerBase&)> callback, Context::SharedPtr context,
                     bool autostart)
    : context_(context->get_rcl_context()),
      clock_(std::move(clock)),
      callback_(std::move(callback)),
      timer_(rcl_get_zero_initialized_timer()) {
  if (period.count() < 0) throw std::invalid_argument("timer period cannot be negative");
  const std::lock_guard<std::mutex> lock(clock_->get_clock_mutex());
  detail::check(rcl_timer_init2(&timer_, clock_->get_clock_handle(), context_.get(), period.count(),
                                nullptr, rcl_get_default_allocator(), autostart),
                "couldn't initialize rcl timer handle");
}

TimerBase::~TimerBase() {
  const std::lock_guard<std::mutex> lock(clock_->get_clock_mutex());
  detail::check_quietly(rcl_timer_fini(&timer_), "failed to free a timer");
}

void TimerBase::cancel() { detail::check(rcl_timer_cancel(&timer_), "couldn't cancel timer"); }

bool TimerBase::is_canceled() {
  bool canceled = false;
  detail::check(rcl_timer_is_canceled(&timer_, &canceled),
                "couldn't ask whether a timer is canceled");
  return canceled;
}

void TimerBase::reset() { detail::check(rcl_timer_reset(&timer_), "couldn't reset timer"); }

bool TimerBase::is_ready() {
  bool ready = false;
  detail::check(rcl_timer_is_ready(&timer_, &ready), "failed to check timer");
  return ready;
}

std::chrono::nanoseconds TimerBase::time_until_trigger() {
  std::int64_t left = 0;
  const rcl_ret_t ret = rcl_timer_get_time_until_next_call(&timer_, &left);
  if (ret == RCL_RET_TIMER_CANCELED) return std::chrono::nanoseconds::max();
  detail::check(ret, "timer could not get time until next call");
  return std::chrono::nanoseconds(left);
}

void TimerBase::add_to(rcl_wait_set_t& set) {
  detail::check(rcl_wait_set_add_timer(&set, &timer_, &index_), "failed to wait for a timer");
}

// A timer that was ready when the wait ended may have been reset or canceled since.
bool TimerBase::claim() {
  if (!is_ready()) return false;
  const rcl_ret_t ret = rcl_timer_call(&timer_);
  if (ret == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "failed to notify timer that callback occurred");
  return true;
}

TimerBase::SharedPtr detail::add_timer(node_interfaces::NodeBaseInterface& node,
                                       Clock::SharedPtr clock, std::chrono::nanoseconds period,
                                       std::function<void(TimerBase&)> callback,
                                       const CallbackGroup::SharedPtr& group, bool autostart) {
  auto timer = std::make_shared<TimerBase>(std::move(clock), period, std::move(callback),
                                           node.get_context(), autostart);
  node.group_for(group).add(timer);
  return timer;
}

}  // namespace rclcpp
