#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace pointpng_ros {

/// A place for one thing, between a callback that must not wait and a thread that works: what was
/// not fetched before the next thing came is dropped, and counted.
template <class T>
class Newest {
 public:
  void put(T thing) {
    {
      const std::scoped_lock lock(mutex_);
      if (thing_) ++dropped_;
      thing_ = std::move(thing);
    }
    changed_.notify_one();
  }

  /// Waits; nothing once `close` was called.
  std::optional<T> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return thing_ || closed_; });
    if (closed_) return std::nullopt;
    return std::exchange(thing_, std::nullopt);
  }

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  std::uint64_t dropped() const {
    const std::scoped_lock lock(mutex_);
    return dropped_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> thing_;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace pointpng_ros
