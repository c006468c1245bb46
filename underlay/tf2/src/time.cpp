#include "tf2/time.h"

#include <cmath>
#include <cstdio>

namespace tf2 {

TimePoint get_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration durationFromSec(double seconds) { return Duration(std::llround(seconds * 1e9)); }

TimePoint timeFromSec(double seconds) { return TimePoint(durationFromSec(seconds)); }

double durationToSec(const Duration& duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}

double timeToSec(const TimePoint& time) { return durationToSec(time.time_since_epoch()); }

std::string displayTimePoint(const TimePoint& time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", timeToSec(time));
  return text;
}

}  // namespace tf2
