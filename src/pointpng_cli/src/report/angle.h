#pragma once

#include <numbers>

#include <Eigen/Geometry>

namespace pointpng {

inline constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;

inline double degrees_between(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return a.angularDistance(b) * kDegreesPerRadian;
}

}  // namespace pointpng
