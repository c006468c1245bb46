#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <cstdint>
#include <rcl/time.h>

#include "rclcpp/duration.hpp"

namespace rclcpp {

/// A point in time of one kind of clock. Mixing kinds throws std::runtime_error.
class Time {
 public:
  Time(std::int32_t seconds, std::uint32_t nanoseconds,
       rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  explicit Time(std::int64_t nanoseconds = 0, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME)
      : nanoseconds_(nanoseconds), clock_type_(clock_type) {}
  Time(const builtin_interfaces::msg::Time& message,  // NOLINT: as in rclcpp
       rcl_clock_type_t clock_type = RCL_ROS_TIME)
      : Time(message.sec, message.nanosec, clock_type) {}
  explicit Time(const rcl_time_point_t& point) : Time(point.nanoseconds, point.clock_type) {}

  static Time max(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME) {
    return Time(INT64_MAX, clock_type);
  }

  Time& operator=(const builtin_interfaces::msg::Time& message) { return *this = Time(message); }
  operator builtin_interfaces::msg::Time() const;

  std::int64_t nanoseconds() const { return nanoseconds_; }
  double seconds() const { return static_cast<double>(nanoseconds_) * 1e-9; }
  rcl_clock_type_t get_clock_type() const { return clock_type_; }

  bool operator==(const Time& other) const { return nanoseconds_ == same_kind(other).nanoseconds_; }
  bool operator!=(const Time& other) const { return !(*this == other); }
  bool operator<(const Time& other) const { return nanoseconds_ < same_kind(other).nanoseconds_; }
  bool operator<=(const Time& other) const { return nanoseconds_ <= same_kind(other).nanoseconds_; }
  bool operator>(const Time& other) const { return nanoseconds_ > same_kind(other).nanoseconds_; }
  bool operator>=(const Time& other) const { return nanoseconds_ >= same_kind(other).nanoseconds_; }

  Time operator+(const Duration& duration) const;
  Time operator-(const Duration& duration) const;
  Duration operator-(const Time& other) const;
  Time& operator+=(const Duration& duration) { return *this = *this + duration; }
  Time& operator-=(const Duration& duration) { return *this = *this - duration; }

 private:
  const Time& same_kind(const Time& other) const;

  std::int64_t nanoseconds_;
  rcl_clock_type_t clock_type_;
};

inline Time operator+(const Duration& duration, const Time& time) { return time + duration; }

}  // namespace rclcpp
