#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <mutex>
#include <string>

namespace pointpng_ros {

/// The state of a pose node besides its counts.
struct NodeState {
  std::string name, mode, model;
  std::string topics;         ///< of the clouds, with publishers and reliability
  std::string silence;        ///< why no clouds come, where none do
  std::uint64_t dropped = 0;  ///< clouds that a newer one replaced before they were aligned
};

/// What a pose node reports on /diagnostics. Safe to use from several threads.
class Statistics {
 public:
  using Clock = std::chrono::steady_clock;

  void arrived();
  void answered(bool accepted, double latency_ms, const std::string& reason);
  void unusable(const std::string& reason);  ///< a cloud that could not be registered
  /// Stamps went back; the sentence says what was done.
  void jumped(const std::string& sentence);
  /// No cloud came for longer than `largest_gap`.
  void paused(const std::string& sentence);
  /// Where poses are computed, and why there. Another one than before is an event, and true is
  /// returned.
  bool set_device(const std::string& device);

  /// Rates and shares are those of the time since the last report.
  diagnostic_msgs::msg::DiagnosticStatus report(const NodeState& node);

 private:
  /// Whether the next cloud is overdue, by the pace of those before.
  bool is_silent(Clock::time_point now) const;

  struct Window {
    std::uint64_t arrived = 0, answered = 0, accepted = 0, unusable = 0;
    std::deque<double> latencies_ms;
    std::string last_reason, event;
  };

  std::mutex mutex_;
  Window window_;
  Clock::time_point since_ = Clock::now();
  Clock::time_point last_arrival_ = Clock::now();
  Clock::duration last_pause_{};  ///< between the last two clouds
  std::uint8_t last_level_ = diagnostic_msgs::msg::DiagnosticStatus::OK;
  std::string last_message_ = "waits for clouds";
  std::uint64_t arrived_ = 0, answered_ = 0, accepted_ = 0, unusable_ = 0, jumps_ = 0, pauses_ = 0;
  std::string last_event_, device_;
};

}  // namespace pointpng_ros
