#pragma once

#include <builtin_interfaces/msg/duration.hpp>
#include <chrono>
#include <cstdint>
#include <rcl/time.h>
#include <rmw/types.h>

namespace rclcpp {

/// A signed span of time, in nanoseconds. Sums that don't fit throw std::overflow_error.
class Duration {
 public:
  Duration() = default;
  Duration(std::int32_t seconds, std::uint32_t nanoseconds)
      : nanoseconds_(std::int64_t{seconds} * 1'000'000'000 + nanoseconds) {}
  explicit Duration(std::chrono::nanoseconds nanoseconds) : nanoseconds_(nanoseconds.count()) {}
  template <class Rep, class Period>
  Duration(const std::chrono::duration<Rep, Period>& duration)  // NOLINT: as in rclcpp
      : Duration(std::chrono::duration_cast<std::chrono::nanoseconds>(duration)) {}
  Duration(const builtin_interfaces::msg::Duration& message)  // NOLINT: as in rclcpp
      : Duration(message.sec, message.nanosec) {}
  explicit Duration(const rcl_duration_t& duration) : nanoseconds_(duration.nanoseconds) {}

  static Duration from_seconds(double seconds);
  static Duration from_nanoseconds(std::int64_t nanoseconds) {
    return Duration(std::chrono::nanoseconds(nanoseconds));
  }
  static Duration from_rmw_time(rmw_time_t time);
  static Duration max() { return from_nanoseconds(INT64_MAX); }

  std::int64_t nanoseconds() const { return nanoseconds_; }
  double seconds() const { return static_cast<double>(nanoseconds_) * 1e-9; }
  template <class ChronoDuration>
  ChronoDuration to_chrono() const {
    return std::chrono::duration_cast<ChronoDuration>(std::chrono::nanoseconds(nanoseconds_));
  }
  rmw_time_t to_rmw_time() const;
  operator builtin_interfaces::msg::Duration() const;

  bool operator==(const Duration& other) const { return nanoseconds_ == other.nanoseconds_; }
  bool operator!=(const Duration& other) const { return nanoseconds_ != other.nanoseconds_; }
  bool operator<(const Duration& other) const { return nanoseconds_ < other.nanoseconds_; }
  bool operator<=(const Duration& other) const { return nanoseconds_ <= other.nanoseconds_; }
  bool operator>(const Duration& other) const { return nanoseconds_ > other.nanoseconds_; }
  bool operator>=(const Duration& other) const { return nanoseconds_ >= other.nanoseconds_; }

  Duration operator+(const Duration& other) const;
  Duration operator-(const Duration& other) const;
  Duration operator*(double factor) const;
  Duration& operator+=(const Duration& other) { return *this = *this + other; }
  Duration& operator-=(const Duration& other) { return *this = *this - other; }
  Duration& operator*=(double factor) { return *this = *this * factor; }

 private:
  std::int64_t nanoseconds_ = 0;
};

}  // namespace rclcpp
