#pragma once

#include <Eigen/Geometry>

#include "base/random.h"

namespace pointpng {

/// A rotation uniform over SO(3) and a translation of up to `largest_shift` along each axis.
inline Eigen::Isometry3d random_motion(Random& random, float largest_shift) {
  const Eigen::Vector4d q = random.quaternion().cast<double>();
  Eigen::Isometry3d motion(Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized());
  const auto shift = [&] { return static_cast<double>(random.uniform(-1, 1) * largest_shift); };
  const double x = shift(), y = shift(), z = shift();
  motion.translation() << x, y, z;
  return motion;
}

}  // namespace pointpng
