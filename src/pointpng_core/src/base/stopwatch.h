#pragma once

#include <chrono>
#include <ctime>

namespace pointpng {

/// Time since construction or restart: wall time, and CPU time of all threads.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double cpu_seconds() const { return processor_seconds() - cpu_start_; }
  void restart() { *this = Stopwatch(); }

  /// Wall time in milliseconds; restarts.
  double lap_ms() {
    const Clock::time_point now = Clock::now();
    const double lap = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return lap;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  Clock::time_point start_ = Clock::now();
  double cpu_start_ = processor_seconds();
};

}  // namespace pointpng
