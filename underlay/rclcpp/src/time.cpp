#include "rclcpp/time.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace rclcpp {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result))
    throw std::overflow_error("time: sum leads to int64 overflow");
  return result;
}

std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result))
    throw std::overflow_error("time: difference leads to int64 overflow");
  return result;
}

// Whole seconds rounded down, so that the rest is never negative. Beyond the message's range: its
// end.
template <class Message>
Message split(std::int64_t nanoseconds) {
  Message message;
  const std::int64_t rest = ((nanoseconds % kSecond) + kSecond) % kSecond;
  const std::int64_t seconds = (nanoseconds - rest) / kSecond;
  using Seconds = std::numeric_limits<std::int32_t>;
  if (seconds > Seconds::max()) {
    message.sec = Seconds::max();
    message.nanosec = kSecond - 1;
  } else if (seconds < Seconds::min()) {
    message.sec = Seconds::min();
    message.nanosec = 0;
  } else {
    message.sec = static_cast<std::int32_t>(seconds);
    message.nanosec = static_cast<std::uint32_t>(rest);
  }
  return message;
}

}  // namespace

Duration Duration::from_seconds(double seconds) {
  return from_nanoseconds(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

Duration Duration::from_rmw_time(rmw_time_t time) {
  if (time.sec > static_cast<std::uint64_t>(INT64_MAX / kSecond - 1)) return max();
  return from_nanoseconds(static_cast<std::int64_t>(time.sec) * kSecond +
                          static_cast<std::int64_t>(time.nsec));
}

rmw_time_t Duration::to_rmw_time() const {
  if (nanoseconds_ < 0) throw std::runtime_error("rmw_time_t cannot be negative");
  return {static_cast<std::uint64_t>(nanoseconds_ / kSecond),
          static_cast<std::uint64_t>(nanoseconds_ % kSecond)};
}

Duration::operator builtin_interfaces::msg::Duration() const {
  return split<builtin_interfaces::msg::Duration>(nanoseconds_);
}

Duration Duration::operator+(const Duration& other) const {
  return from_nanoseconds(sum(nanoseconds_, other.nanoseconds_));
}

Duration Duration::operator-(const Duration& other) const {
  return from_nanoseconds(difference(nanoseconds_, other.nanoseconds_));
}

Duration Duration::operator*(double factor) const {
  const long double product = static_cast<long double>(nanoseconds_) * factor;
  if (!std::isfinite(factor) || std::fabs(product) > static_cast<long double>(INT64_MAX))
    throw std::overflow_error("duration: product leads to int64 overflow");
  return from_nanoseconds(static_cast<std::int64_t>(product));
}

Time::Time(std::int32_t seconds, std::uint32_t nanoseconds, rcl_clock_type_t clock_type)
    : nanoseconds_(std::int64_t{seconds} * kSecond + nanoseconds), clock_type_(clock_type) {
  if (seconds < 0) throw std::runtime_error("cannot store a negative time point in rclcpp::Time");
}

Time::operator builtin_interfaces::msg::Time() const {
  return split<builtin_interfaces::msg::Time>(nanoseconds_);
}

const Time& Time::same_kind(const Time& other) const {
  if (clock_type_ != other.clock_type_)
    throw std::runtime_error("can't compare or subtract times with different time sources");
  return other;
}

Time Time::operator+(const Duration& duration) const {
  return Time(sum(nanoseconds_, duration.nanoseconds()), clock_type_);
}

Time Time::operator-(const Duration& duration) const {
  return Time(difference(nanoseconds_, duration.nanoseconds()), clock_type_);
}

Duration Time::operator-(const Time& other) const {
  return Duration::from_nanoseconds(difference(nanoseconds_, same_kind(other).nanoseconds_));
}

}  // namespace rclcpp
