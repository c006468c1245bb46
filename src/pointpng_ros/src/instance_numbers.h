#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <Eigen/Core>

namespace pointpng_ros {

/// Numbers of the copies of an object, the same from cloud to cloud for a copy that moves less than
/// its own size.
class InstanceNumbers {
 public:
  /// `reach`: how far a copy may move, metres.
  InstanceNumbers(int count, double reach)
      : last_(static_cast<std::size_t>(count)), reach_(reach) {}

  /// A number below `count` for each of at most `count` places.
  std::vector<int> assign(const std::vector<Eigen::Vector3d>& places) {
    std::vector<int> numbers(places.size(), -1);
    std::vector<bool> is_taken(last_.size(), false);
    const auto take = [&](std::size_t place, std::size_t number) {
      numbers[place] = static_cast<int>(number);
      is_taken[number] = true;
      last_[number] = places[place];
    };
    const auto before = last_;
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::optional<std::size_t> nearest;
      double least = reach_;
      for (std::size_t k = 0; k < before.size(); ++k) {
        if (is_taken[k] || !before[k]) continue;
        const double distance = (places[i] - *before[k]).norm();
        if (distance > least) continue;
        least = distance;
        nearest = k;
      }
      if (nearest) take(i, *nearest);
    }
    for (std::size_t i = 0; i < places.size(); ++i)
      if (numbers[i] < 0) take(i, free_number(is_taken));
    return numbers;
  }

  void forget() { std::fill(last_.begin(), last_.end(), std::nullopt); }

 private:
  /// One that no copy ever had, or else any that none has now.
  std::size_t free_number(const std::vector<bool>& is_taken) const {
    for (std::size_t k = 0; k < last_.size(); ++k)
      if (!last_[k]) return k;
    return static_cast<std::size_t>(std::find(is_taken.begin(), is_taken.end(), false) -
                                    is_taken.begin());
  }

  std::vector<std::optional<Eigen::Vector3d>> last_;  // where the copy of each number was
  double reach_;
};

}  // namespace pointpng_ros
