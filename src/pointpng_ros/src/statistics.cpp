#include "statistics.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pointpng_ros {
namespace {

using namespace std::chrono_literals;
using diagnostic_msgs::msg::DiagnosticStatus;

void add(DiagnosticStatus& status, const std::string& key, const std::string& value) {
  status.values.emplace_back();
  status.values.back().key = key;
  status.values.back().value = value;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

void Statistics::arrived() {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  if (arrived_ > 0) last_pause_ = now - last_arrival_;
  last_arrival_ = now;
  ++arrived_;
  ++window_.arrived;
}

bool Statistics::is_silent(Clock::time_point now) const {
  return now - last_arrival_ > std::max<Clock::duration>(3s, 3 * last_pause_);
}

void Statistics::answered(bool accepted, double latency_ms, const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  ++answered_;
  ++window_.answered;
  window_.latencies_ms.push_back(latency_ms);
  if (accepted) {
    ++accepted_;
    ++window_.accepted;
  } else {
    window_.last_reason = reason;
  }
}

void Statistics::unusable(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  ++unusable_;
  ++window_.unusable;
  window_.last_reason = reason;
}

void Statistics::jumped(const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  ++jumps_;
  last_event_ = window_.event = sentence;
}

void Statistics::paused(const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  ++pauses_;
  last_event_ = window_.event = sentence;
}

bool Statistics::set_device(const std::string& device) {
  const std::scoped_lock lock(mutex_);
  const std::string before = std::exchange(device_, device);
  if (before.empty() || before == device) return false;
  last_event_ = window_.event = "poses are computed on another device now: " + device;
  return true;
}

DiagnosticStatus Statistics::report(const NodeState& node) {
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  const double seconds = std::max(1e-3, std::chrono::duration<double>(now - since_).count());
  const std::vector<double> latencies(window_.latencies_ms.begin(), window_.latencies_ms.end());
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0
               ? std::string("-")
               : fmt::format("{:.3f}", static_cast<double>(part) / static_cast<double>(whole));
  };

  DiagnosticStatus status;
  status.name = node.name;
  status.hardware_id = device_;
  if (is_silent(now)) {
    status.level = DiagnosticStatus::STALE;
    status.message = node.silence;
  } else if (window_.answered + window_.unusable == 0) {  // nothing was due since the last report
    status.level = last_level_;
    status.message = last_message_;
  } else if (window_.unusable > 0 || window_.accepted == 0) {
    status.level = DiagnosticStatus::WARN;
    status.message = window_.last_reason.empty() ? "no pose yet" : window_.last_reason;
  } else if (!window_.event.empty()) {
    status.level = DiagnosticStatus::WARN;
    status.message = window_.event;
  } else {
    status.level = DiagnosticStatus::OK;
    status.message = "poses are published";
  }
  if (status.level != DiagnosticStatus::STALE) {
    last_level_ = status.level;
    last_message_ = status.message;
  }
  add(status, "mode", node.mode);
  add(status, "model", node.model);
  add(status, "topics", node.topics);
  add(status, "device", device_);
  add(status, "clouds per second",
      fmt::format("{:.2f}", static_cast<double>(window_.arrived) / seconds));
  add(status, "answers per second",
      fmt::format("{:.2f}", static_cast<double>(window_.answered) / seconds));
  add(status, "latency median ms", fmt::format("{:.1f}", quantile(latencies, 0.5)));
  add(status, "latency largest ms", fmt::format("{:.1f}", quantile(latencies, 1.0)));
  add(status, "accepted share", share(window_.accepted, window_.answered));
  add(status, "accepted share of all", share(accepted_, answered_));
  add(status, "clouds", std::to_string(arrived_));
  add(status, "answers", std::to_string(answered_));
  add(status, "accepted", std::to_string(accepted_));
  add(status, "dropped", std::to_string(node.dropped));
  add(status, "unusable", std::to_string(unusable_));
  add(status, "time jumps", std::to_string(jumps_));
  add(status, "pauses", std::to_string(pauses_));
  add(status, "last event", last_event_);
  add(status, "last rejection", window_.last_reason);
  window_ = {};
  since_ = now;
  return status;
}

}  // namespace pointpng_ros
