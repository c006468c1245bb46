#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <utility>

#include "cloud_messages.h"

namespace pointpng_ros {

using CloudPtr = sensor_msgs::msg::PointCloud2::ConstSharedPtr;

/// What is aligned together.
struct CloudPair {
  CloudPtr cloud;
  CloudPtr target;  ///< null where the target is no cloud of a topic
  std::chrono::steady_clock::time_point arrival = std::chrono::steady_clock::now();

  double milliseconds_since_arrival() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - arrival)
        .count();
  }
};

/// Finds the clouds of two sensors that belong together by their stamps. Clouds older than a pair
/// that was found are dropped.
class PairMatcher {
 public:
  std::optional<CloudPair> add_cloud(CloudPtr cloud, std::int64_t slop_ns) {
    CloudPtr target = match(clouds_, targets_, cloud, slop_ns);
    return target ? std::optional<CloudPair>({std::move(cloud), std::move(target)}) : std::nullopt;
  }

  std::optional<CloudPair> add_target(CloudPtr target, std::int64_t slop_ns) {
    CloudPtr cloud = match(targets_, clouds_, target, slop_ns);
    return cloud ? std::optional<CloudPair>({std::move(cloud), std::move(target)}) : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostWaiting = 10;
  static std::int64_t time_of(const CloudPtr& cloud) { return to_nanoseconds(cloud->header.stamp); }

  /// The other sensor's cloud that is closest in time; null where none is close enough.
  static CloudPtr match(std::deque<CloudPtr>& own, std::deque<CloudPtr>& others,
                        const CloudPtr& cloud, std::int64_t slop_ns) {
    if (!own.empty() && time_of(cloud) < time_of(own.back())) {  // time went back
      own.clear();
      others.clear();
    }
    std::size_t best = others.size();
    std::int64_t least = slop_ns + 1;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const std::int64_t apart = std::abs(time_of(others[i]) - time_of(cloud));
      if (apart < least) {
        least = apart;
        best = i;
      }
    }
    if (best < others.size()) {
      CloudPtr found = others[best];
      others.erase(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(best) + 1);
      own.clear();
      return found;
    }
    own.push_back(cloud);
    if (own.size() > kMostWaiting) own.pop_front();
    return nullptr;
  }

  std::deque<CloudPtr> clouds_, targets_;
};

}  // namespace pointpng_ros
