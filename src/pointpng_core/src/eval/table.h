#pragma once

#include <Eigen/Core>

#include "base/random.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// A table that a shape rests on: `up` points from it to the shape, which begins at `height`.
struct Table {
  Eigen::Vector3f up;
  float height;
};

/// Of some random resting poses, the one in which most of the shape touches the table: objects
/// don't stand on a tip.
inline Table stable_table(const Cloud& shape, Random& random) {
  constexpr int kTried = 16;
  constexpr float kTouching = 0.03F;
  Table best{};
  Eigen::Index most = -1;
  for (int i = 0; i < kTried; ++i) {
    const Eigen::Vector3f up = random.direction();
    const Eigen::VectorXf heights = shape * up;
    const float lowest = heights.minCoeff();
    const Eigen::Index touching = (heights.array() < lowest + kTouching).count();
    if (touching > most) {
      most = touching;
      best = {up, lowest};
    }
  }
  return best;
}

}  // namespace pointpng
