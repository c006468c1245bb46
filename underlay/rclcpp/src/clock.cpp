#include "rclcpp/clock.hpp"

#include <condition_variable>

#include "rclcpp/exceptions.hpp"

namespace rclcpp {
namespace {

void on_jump(const rcl_time_jump_t* jump, bool before, void* user_data) {
  const auto* handler = static_cast<const JumpHandler*>(user_data);
  if (before && handler->pre_callback) handler->pre_callback();
  if (!before && handler->post_callback) handler->post_callback(*jump);
}

}  // namespace

Clock::Impl::Impl(rcl_clock_type_t type) {
  detail::check(rcl_clock_init(type, &clock, &allocator), "failed to make a clock");
}

Clock::Impl::~Impl() { detail::check_quietly(rcl_clock_fini(&clock), "failed to free a clock"); }

Clock::Clock(rcl_clock_type_t clock_type) : impl_(std::make_shared<Impl>(clock_type)) {}

Time Clock::now() const {
  rcl_time_point_value_t nanoseconds = 0;
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  detail::check(rcl_clock_get_now(&impl_->clock, &nanoseconds), "could not get the current time");
  return Time(nanoseconds, impl_->clock.type);
}

rcl_clock_type_t Clock::get_clock_type() const noexcept { return impl_->clock.type; }

bool Clock::ros_time_is_active() {
  if (get_clock_type() != RCL_ROS_TIME) return false;
  bool active = false;
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  detail::check(rcl_is_enabled_ros_time_override(&impl_->clock, &active),
                "failed to ask for simulated time");
  return active;
}

bool Clock::sleep_until(Time until, Context::SharedPtr context) {
  if (!context || !context->is_valid())
    throw std::runtime_error("context cannot be slept with because it's invalid");
  if (until.get_clock_type() != get_clock_type())
    throw std::runtime_error("until's clock type does not match this clock's type");

  std::mutex mutex;
  std::condition_variable wake;
  bool source_changed = false;
  const auto wake_up = [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    wake.notify_all();
  };
  const auto shutdown_handle = context->add_on_shutdown_callback(wake_up);

  bool simulated = ros_time_is_active();
  JumpHandler::SharedPtr jumps;
  if (get_clock_type() == RCL_ROS_TIME) {
    rcl_jump_threshold_t any_jump;
    any_jump.on_clock_change = true;
    any_jump.min_forward.nanoseconds = 1;
    any_jump.min_backward.nanoseconds = -1;
    jumps = create_jump_callback(
        nullptr,
        [&](const rcl_time_jump_t& jump) {
          const std::lock_guard<std::mutex> lock(mutex);
          source_changed |= jump.clock_change != RCL_ROS_TIME_NO_CHANGE;
          wake.notify_all();
        },
        any_jump);
  }

  // Shutdown and the clock both call back under their own locks: ask them while ours is free.
  while (context->is_valid()) {
    const auto left = until - now();
    if (left.nanoseconds() <= 0) break;
    std::unique_lock<std::mutex> lock(mutex);
    if (source_changed) break;
    // What was notified between the question and this wait is seen a moment later at the latest.
    const std::chrono::nanoseconds moment = std::chrono::milliseconds(simulated ? 10 : 100);
    wake.wait_for(
        lock, simulated ? moment : std::min(moment, left.to_chrono<std::chrono::nanoseconds>()));
  }
  jumps.reset();
  context->remove_on_shutdown_callback(shutdown_handle);
  return context->is_valid() && !source_changed && now() >= until;
}

bool Clock::sleep_for(Duration duration, Context::SharedPtr context) {
  return sleep_until(now() + duration, std::move(context));
}

JumpHandler::SharedPtr Clock::create_jump_callback(JumpHandler::pre_callback_t pre,
                                                   JumpHandler::post_callback_t post,
                                                   const rcl_jump_threshold_t& threshold) {
  auto handler = std::make_unique<JumpHandler>(std::move(pre), std::move(post), threshold);
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  detail::check(rcl_clock_add_jump_callback(&impl_->clock, threshold, on_jump, handler.get()),
                "failed to add a jump callback");
  return {handler.release(), [impl = impl_](JumpHandler* gone) {
            {
              const std::lock_guard<std::mutex> impl_lock(impl->mutex);
              detail::check_quietly(rcl_clock_remove_jump_callback(&impl->clock, on_jump, gone),
                                    "failed to remove a jump callback");
            }
            delete gone;
          }};
}

}  // namespace rclcpp
