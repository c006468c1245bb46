#pragma once

#include <chrono>
#include <string>

namespace tf2 {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Asks for the newest transform.
static constexpr TimePoint TimePointZero = TimePoint(Duration::zero());

TimePoint get_now();
Duration durationFromSec(double seconds);
TimePoint timeFromSec(double seconds);
double durationToSec(const Duration& duration);
double timeToSec(const TimePoint& time);
std::string displayTimePoint(const TimePoint& time);

}  // namespace tf2
