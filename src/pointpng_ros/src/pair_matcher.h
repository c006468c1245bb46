#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <utility>

#include "cloud_messages.h"

namespace pointpng_ros {

/// Finds the clouds of two sensors that belong together by their stamps. What is older than a pair
/// that was found never comes again.
class PairMatcher {
 public:
  using Cloud = sensor_msgs::msg::PointCloud2::ConstSharedPtr;
  using Pair = std::pair<Cloud, Cloud>;  ///< cloud, target

  std::optional<Pair> add_cloud(Cloud cloud, std::int64_t slop_ns) {
    const auto other = add(clouds_, targets_, cloud, slop_ns);
    return other ? std::optional(Pair(std::move(cloud), *other)) : std::nullopt;
  }

  std::optional<Pair> add_target(Cloud target, std::int64_t slop_ns) {
    const auto other = add(targets_, clouds_, target, slop_ns);
    return other ? std::optional(Pair(*other, std::move(target))) : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostWaiting = 10;
  static std::int64_t time_of(const Cloud& cloud) { return to_nanoseconds(cloud->header.stamp); }

  std::optional<Cloud> add(std::deque<Cloud>& own, std::deque<Cloud>& others, const Cloud& cloud,
                           std::int64_t slop_ns) {
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
      Cloud found = others[best];
      others.erase(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(best) + 1);
      own.clear();
      return found;
    }
    own.push_back(cloud);
    if (own.size() > kMostWaiting) own.pop_front();
    return std::nullopt;
  }

  std::deque<Cloud> clouds_, targets_;
};

}  // namespace pointpng_ros
