#pragma once

#include <condition_variable>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tf2/exceptions.h"
#include "tf2/time.h"
#include "tf2/time_cache.h"

namespace tf2 {

static constexpr Duration BUFFER_CORE_DEFAULT_CACHE_TIME = std::chrono::seconds(10);

/// The tree of frames as it was during the last seconds. Safe for threads.
class BufferCore {
 public:
  explicit BufferCore(Duration cache_time = BUFFER_CORE_DEFAULT_CACHE_TIME)
      : cache_time_(cache_time) {}
  virtual ~BufferCore() = default;
  BufferCore(const BufferCore&) = delete;
  BufferCore& operator=(const BufferCore&) = delete;

  /// Forgets everything but static transforms.
  void clear();

  /// False, with a log line, for a transform that makes no sense or is too old.
  bool setTransform(const geometry_msgs::msg::TransformStamped& transform,
                    const std::string& authority, bool is_static = false);

  /// Moves what is given in the source frame into the target frame. Throws TransformException.
  geometry_msgs::msg::TransformStamped lookupTransform(const std::string& target_frame,
                                                       const std::string& source_frame,
                                                       const TimePoint& time) const;
  /// From the source frame at one time to the target frame at another, by way of a frame that does
  /// not move.
  geometry_msgs::msg::TransformStamped lookupTransform(const std::string& target_frame,
                                                       const TimePoint& target_time,
                                                       const std::string& source_frame,
                                                       const TimePoint& source_time,
                                                       const std::string& fixed_frame) const;

  bool canTransform(const std::string& target_frame, const std::string& source_frame,
                    const TimePoint& time, std::string* error = nullptr) const;
  bool canTransform(const std::string& target_frame, const TimePoint& target_time,
                    const std::string& source_frame, const TimePoint& source_time,
                    const std::string& fixed_frame, std::string* error = nullptr) const;

  std::vector<std::string> getAllFrameNames() const;
  std::string allFramesAsString() const;
  Duration getCacheLength() const { return cache_time_; }

 protected:
  /// Waits for news of any frame, or for the time to pass.
  void wait_for_change(Duration duration) const;

 private:
  struct Link;
  using Chain = std::vector<Link>;

  struct Found {
    Transform target_from_source;
    TimePoint stamp;
  };
  Found find(const std::string& target, const std::string& source, TimePoint time) const;
  Chain chain_to_root(const std::string& frame, TimePoint time) const;
  void check_frame(const char* argument, const std::string& frame) const;
  bool known(const std::string& frame) const;

  Duration cache_time_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, TimeCache> frames_;  // by child
  std::set<std::string> parents_;            // frames that were ever named as a parent
};

}  // namespace tf2
