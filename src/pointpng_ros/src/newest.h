#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace pointpng_ros {

/// Hands values from a callback that must not wait to a thread that works. Only the newest value is
/// kept; those that it replaces are counted.
template <class T>
class Newest {
 public:
  void put(T value) {
    {
      const std::scoped_lock lock(mutex_);
      if (value_) ++dropped_;
      value_ = std::move(value);
    }
    changed_.notify_one();
  }

  /// Waits for a value; none once `close` was called.
  std::optional<T> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return value_ || closed_; });
    if (closed_) return std::nullopt;
    return std::exchange(value_, std::nullopt);
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
  std::optional<T> value_;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace pointpng_ros
