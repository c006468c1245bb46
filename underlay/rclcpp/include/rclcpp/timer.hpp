#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <rcl/timer.h>
#include <type_traits>
#include <utility>

#include "rclcpp/clock.hpp"
#include "rclcpp/detail/entity.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp {

class TimerBase : public detail::Entity {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(TimerBase);

  TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period,
            std::function<void(TimerBase&)> callback, Context::SharedPtr context, bool autostart);
  ~TimerBase() override;
  RCLCPP_DISABLE_COPY(TimerBase);

  void cancel();
  bool is_canceled();
  void reset();
  bool is_ready();
  bool is_steady() const { return clock_->get_clock_type() == RCL_STEADY_TIME; }
  std::chrono::nanoseconds time_until_trigger();

  Kind kind() const override { return Kind::kTimer; }
  void add_to(rcl_wait_set_t& set) override;
  bool is_ready(const rcl_wait_set_t& set) const override { return set.timers[index_] != nullptr; }
  bool claim() override;
  void execute() override { callback_(*this); }

 private:
  std::shared_ptr<rcl_context_t> context_;
  Clock::SharedPtr clock_;
  std::function<void(TimerBase&)> callback_;
  rcl_timer_t timer_;
};

namespace detail {

template <class Callback>
std::function<void(TimerBase&)> timer_callback(Callback callback) {
  if constexpr (std::is_invocable_v<Callback&>)
    return [=](TimerBase&) mutable { callback(); };
  else
    return callback;
}

TimerBase::SharedPtr add_timer(node_interfaces::NodeBaseInterface& node, Clock::SharedPtr clock,
                               std::chrono::nanoseconds period,
                               std::function<void(TimerBase&)> callback,
                               const CallbackGroup::SharedPtr& group, bool autostart);

}  // namespace detail
}  // namespace rclcpp
