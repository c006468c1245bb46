#pragma once

#include <chrono>

#include "rclcpp/clock.hpp"

namespace rclcpp {

/// Sleeps so that a loop turns at a rate.
class Rate {
 public:
  explicit Rate(double rate, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME))
      : Rate(Duration::from_seconds(1.0 / positive(rate)), std::move(clock)) {}
  explicit Rate(const Duration& period,
                Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME))
      : clock_(std::move(clock)), period_(period), last_(clock_->now()) {
    positive(period.seconds());
  }

  /// False where the time was over already; the next turn then starts anew.
  bool sleep() {
    const Time now = clock_->now();
    const Time next = last_ + period_;
    const bool jumped_back = now < last_;
    last_ = jumped_back ? now + period_ : next;
    if (!jumped_back && next <= now) {
      if (now > next + period_) last_ = now + period_;
      return false;
    }
    clock_->sleep_until(last_);
    return true;
  }
  void reset() { last_ = clock_->now(); }
  std::chrono::nanoseconds period() const { return period_.to_chrono<std::chrono::nanoseconds>(); }

 private:
  static double positive(double value) {
    if (!(value > 0)) throw std::invalid_argument("rate must be greater than 0");
    return value;
  }

  Clock::SharedPtr clock_;
  Duration period_;
  Time last_;
};

class WallRate : public Rate {
 public:
  explicit WallRate(double rate) : Rate(rate, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
  explicit WallRate(const Duration& period)
      : Rate(period, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
};

}  // namespace rclcpp
