#include "tf2/buffer_core.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <rcutils/logging_macros.h>

namespace tf2 {
namespace {

constexpr std::size_t kLongestChain = 1000;  // longer ones are loops
constexpr double kQuaternionTolerance = 1e-2;

std::string without_slash(const std::string& frame) {
  return !frame.empty() && frame.front() == '/' ? frame.substr(1) : frame;
}

// What is wrong with a transform; empty where nothing is.
std::string fault_of(const geometry_msgs::msg::TransformStamped& message) {
  const auto& t = message.transform.translation;
  const auto& r = message.transform.rotation;
  if (message.child_frame_id.empty()) return "because child_frame_id is not set";
  if (message.header.frame_id.empty()) return "because frame_id is not set";
  if (without_slash(message.child_frame_id) == without_slash(message.header.frame_id))
    return "because frame_id and child_frame_id are the same";
  for (const double number : {t.x, t.y, t.z, r.x, r.y, r.z, r.w})
    if (std::isnan(number)) return "because of a nan value in the transform";
  if (std::abs(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w - 1.0) > kQuaternionTolerance)
    return "because of an invalid quaternion in the transform";
  return "";
}

TimePoint time_of(const builtin_interfaces::msg::Time& stamp) {
  return TimePoint(std::chrono::seconds(stamp.sec) + std::chrono::nanoseconds(stamp.nanosec));
}

geometry_msgs::msg::TransformStamped to_message(const std::string& target,
                                                const std::string& source,
                                                const Transform& transform, TimePoint stamp) {
  geometry_msgs::msg::TransformStamped message;
  const auto nanoseconds = stamp.time_since_epoch().count();
  message.header.stamp.sec = static_cast<std::int32_t>(nanoseconds / 1'000'000'000);
  message.header.stamp.nanosec = static_cast<std::uint32_t>(nanoseconds % 1'000'000'000);
  message.header.frame_id = target;
  message.child_frame_id = source;
  message.transform.translation.x = transform.getOrigin().x();
  message.transform.translation.y = transform.getOrigin().y();
  message.transform.translation.z = transform.getOrigin().z();
  message.transform.rotation.x = transform.getRotation().x();
  message.transform.rotation.y = transform.getRotation().y();
  message.transform.rotation.z = transform.getRotation().z();
  message.transform.rotation.w = transform.getRotation().w();
  return message;
}

}  // namespace

/// One step from a frame towards the root.
struct BufferCore::Link {
  std::string frame;
  Transform frame_from_start;
  TimePoint newest;  ///< until when all steps so far are known; the end of time for static ones
  std::optional<std::string> broken;  ///< why there is no step further
};

void BufferCore::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = frames_.begin(); it != frames_.end();)
    it = it->second.is_static() ? std::next(it) : frames_.erase(it);
}

bool BufferCore::setTransform(const geometry_msgs::msg::TransformStamped& message,
                              const std::string& authority, bool is_static) {
  const std::string child = without_slash(message.child_frame_id);
  const std::string parent = without_slash(message.header.frame_id);
  if (const std::string fault = fault_of(message); !fault.empty()) {
    RCUTILS_LOG_ERROR_NAMED("tf2",
                            "Ignoring transform for child_frame_id '%s' from authority '%s' %s",
                            child.c_str(), authority.c_str(), fault.c_str());
    return false;
  }
  const auto& t = message.transform.translation;
  const auto& r = message.transform.rotation;
  TimeCache::Sample sample{
      time_of(message.header.stamp), parent,
      Transform(Quaternion(r.x, r.y, r.z, r.w).normalized(), Vector3(t.x, t.y, t.z))};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = frames_.find(child);
    if (found != frames_.end() && found->second.is_static() != is_static) frames_.erase(found);
    auto& cache = frames_.try_emplace(child, is_static, cache_time_).first->second;
    if (!cache.insert(std::move(sample))) {
      RCUTILS_LOG_WARN_NAMED(
          "tf2",
          "TF_OLD_DATA ignoring data from the past for frame %s at time %s from authority %s",
          child.c_str(), displayTimePoint(time_of(message.header.stamp)).c_str(),
          authority.c_str());
      return false;
    }
    parents_.insert(parent);
  }
  changed_.notify_all();
  return true;
}

bool BufferCore::known(const std::string& frame) const {
  return frames_.count(frame) > 0 || parents_.count(frame) > 0;
}

void BufferCore::check_frame(const char* argument, const std::string& frame) const {
  if (frame.empty())
    throw InvalidArgumentException(
        std::string("Invalid argument passed to lookupTransform argument ") + argument +
        " in tf2: frame_ids cannot be empty");
  if (frame.front() == '/')
    throw InvalidArgumentException(std::string("Invalid argument \"") + frame +
                                   "\" passed to lookupTransform argument " + argument +
                                   " in tf2: frame_ids cannot start with a '/'");
  if (!known(frame))
    throw LookupException("\"" + frame + "\" passed to lookupTransform argument " + argument +
                          " does not exist. ");
}

// The last link says why the chain ends there, if not because it is the root.
BufferCore::Chain BufferCore::chain_to_root(const std::string& frame, TimePoint time) const {
  Chain chain = {{frame, Transform(), TimePoint::max(), std::nullopt}};
  while (chain.size() < kLongestChain) {
    Link& last = chain.back();
    const auto found = frames_.find(last.frame);
    if (found == frames_.end()) return chain;
    try {
      const TimeCache::Sample step = found->second.at(time);
      const TimePoint newest =
          found->second.is_static() ? TimePoint::max() : found->second.newest().stamp;
      chain.push_back({step.parent, step.parent_from_child * last.frame_from_start,
                       std::min(newest, last.newest), std::nullopt});
    } catch (const ExtrapolationException& error) {
      last.broken = error.what();
      return chain;
    }
  }
  throw LookupException("The tf tree is invalid because it contains a loop.");
}

BufferCore::Found BufferCore::find(const std::string& target, const std::string& source,
                                   TimePoint time) const {
  const Chain from_source = chain_to_root(source, time);
  const Chain from_target = chain_to_root(target, time);
  for (const Link& s : from_source) {
    for (const Link& t : from_target) {
      if (s.frame != t.frame) continue;
      const TimePoint common = std::min(s.newest, t.newest);
      if (time == TimePointZero && common != TimePoint::max() && common != TimePointZero) {
        // The newest time that every step has: not the newest sample of each.
        return find(target, source, common);
      }
      return {t.frame_from_start.inverse() * s.frame_from_start, time};
    }
  }
  const std::string frames = "from frame [" + source + "] to frame [" + target + "]";
  for (const auto* chain : {&from_source, &from_target}) {
    if (!chain->back().broken) continue;
    // The chain is known, but not at this time: with the newest samples it may connect or not.
    const std::string& frame = chain->back().frame;
    try {
      frames_.at(frame).at(time);
    } catch (const ForwardExtrapolationException& error) {
      throw ForwardExtrapolationException(error.what() + (", when looking up transform " + frames));
    } catch (const BackwardExtrapolationException& error) {
      throw BackwardExtrapolationException(error.what() +
                                           (", when looking up transform " + frames));
    } catch (const NoDataForExtrapolationException& error) {
      throw NoDataForExtrapolationException(error.what() +
                                            (", when looking up transform " + frames));
    }
  }
  throw ConnectivityException(
      "Could not find a connection between '" + target + "' and '" + source +
      "' because they are not part of the same tree. Tf has two or more unconnected trees.");
}

geometry_msgs::msg::TransformStamped BufferCore::lookupTransform(const std::string& target,
                                                                 const std::string& source,
                                                                 const TimePoint& time) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  check_frame("target_frame", target);
  check_frame("source_frame", source);
  if (target == source) {
    const auto found = frames_.find(target);
    const bool newest =
        time == TimePointZero && found != frames_.end() && !found->second.is_static();
    return to_message(target, source, Transform(), newest ? found->second.newest().stamp : time);
  }
  const Found found = find(target, source, time);
  return to_message(target, source, found.target_from_source, found.stamp);
}

geometry_msgs::msg::TransformStamped BufferCore::lookupTransform(const std::string& target,
                                                                 const TimePoint& target_time,
                                                                 const std::string& source,
                                                                 const TimePoint& source_time,
                                                                 const std::string& fixed) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  check_frame("target_frame", target);
  check_frame("source_frame", source);
  check_frame("fixed_frame", fixed);
  const Found fixed_from_source = find(fixed, source, source_time);
  const Found target_from_fixed = find(target, fixed, target_time);
  return to_message(target, source,
                    target_from_fixed.target_from_source * fixed_from_source.target_from_source,
                    target_from_fixed.stamp);
}

bool BufferCore::canTransform(const std::string& target, const std::string& source,
                              const TimePoint& time, std::string* error) const {
  try {
    BufferCore::lookupTransform(target, source, time);
    return true;
  } catch (const TransformException& reason) {
    if (error) *error = reason.what();
    return false;
  }
}

bool BufferCore::canTransform(const std::string& target, const TimePoint& target_time,
                              const std::string& source, const TimePoint& source_time,
                              const std::string& fixed, std::string* error) const {
  try {
    BufferCore::lookupTransform(target, target_time, source, source_time, fixed);
    return true;
  } catch (const TransformException& reason) {
    if (error) *error = reason.what();
    return false;
  }
}

std::vector<std::string> BufferCore::getAllFrameNames() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::set<std::string> names = parents_;
  for (const auto& [child, cache] : frames_) names.insert(child);
  return {names.begin(), names.end()};
}

std::string BufferCore::allFramesAsString() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const auto& [child, cache] : frames_)
    text += "Frame " + child + " exists with parent " + cache.newest().parent + ".\n";
  return text;
}

void BufferCore::wait_for_change(Duration duration) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, duration);
}

}  // namespace tf2
