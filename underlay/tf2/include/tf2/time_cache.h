#pragma once

#include <deque>
#include <string>

#include "tf2/LinearMath/Transform.h"
#include "tf2/time.h"

namespace tf2 {

/// Where one frame was in its parent, over time.
class TimeCache {
 public:
  struct Sample {
    TimePoint stamp;
    std::string parent;
    Transform parent_from_child;
  };

  TimeCache(bool is_static, Duration length) : static_(is_static), length_(length) {}

  bool is_static() const { return static_; }
  /// False where the sample is older than what is kept.
  bool insert(Sample sample);
  /// Interpolated; the zero time is the newest. Throws ExtrapolationException.
  Sample at(TimePoint time) const;
  const Sample& newest() const { return samples_.back(); }

 private:
  bool static_;
  Duration length_;
  std::deque<Sample> samples_;  // never empty once the buffer knows the cache; by time
};

}  // namespace tf2
