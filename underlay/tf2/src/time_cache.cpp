#include "tf2/time_cache.h"

#include <algorithm>

#include "tf2/exceptions.h"

namespace tf2 {

bool TimeCache::insert(Sample sample) {
  if (static_) {
    samples_.assign(1, std::move(sample));
    return true;
  }
  if (!samples_.empty() && sample.stamp < samples_.back().stamp - length_) return false;
  const auto after =
      std::upper_bound(samples_.begin(), samples_.end(), sample.stamp,
                       [](TimePoint time, const Sample& known) { return time < known.stamp; });
  const bool same_time = after != samples_.begin() && std::prev(after)->stamp == sample.stamp;
  if (same_time)
    *std::prev(after) = std::move(sample);
  else
    samples_.insert(after, std::move(sample));
  while (samples_.front().stamp < samples_.back().stamp - length_) samples_.pop_front();
  return true;
}

TimeCache::Sample TimeCache::at(TimePoint time) const {
  if (static_ || time == TimePointZero) return samples_.back();
  const auto after =
      std::lower_bound(samples_.begin(), samples_.end(), time,
                       [](const Sample& known, TimePoint wanted) { return known.stamp < wanted; });
  if (after != samples_.end() && after->stamp == time) return *after;
  const std::string requested = "Requested time " + displayTimePoint(time);
  if (samples_.size() == 1)
    throw NoDataForExtrapolationException(
        "Lookup would require extrapolation at time " + displayTimePoint(time) +
        ", but only time " + displayTimePoint(samples_.front().stamp) + " is in the buffer");
  if (after == samples_.end())
    throw ForwardExtrapolationException("Lookup would require extrapolation into the future. " +
                                        requested + " but the latest data is at time " +
                                        displayTimePoint(samples_.back().stamp));
  if (after == samples_.begin())
    throw BackwardExtrapolationException("Lookup would require extrapolation into the past. " +
                                         requested + " but the earliest data is at time " +
                                         displayTimePoint(samples_.front().stamp));
  const Sample& before = *std::prev(after);
  if (before.parent != after->parent) return before;  // the frame changed its parent in between
  const double ratio =
      durationToSec(time - before.stamp) / durationToSec(after->stamp - before.stamp);
  const Transform& from = before.parent_from_child;
  const Transform& to = after->parent_from_child;
  return {time, before.parent,
          Transform(from.getRotation().slerp(to.getRotation(), ratio),
                    from.getOrigin().lerp(to.getOrigin(), ratio))};
}

}  // namespace tf2
