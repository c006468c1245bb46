#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pointpng {

/// target_from_source between the centred points of two prepared clouds, hence in single precision:
/// the one pose type of all stages.
struct RigidTransform {
  Eigen::Matrix3f rotation = Eigen::Matrix3f::Identity();
  Eigen::Vector3f translation = Eigen::Vector3f::Zero();

  Eigen::Vector3f operator*(const Eigen::Vector3f& point) const {
    return rotation * point + translation;
  }
  RigidTransform operator*(const RigidTransform& other) const {
    return {rotation * other.rotation, *this * other.translation};
  }
  RigidTransform inverse() const {
    const Eigen::Matrix3f back = rotation.transpose();
    return {back, -(back * translation)};
  }
  bool is_finite() const { return rotation.allFinite() && translation.allFinite(); }
};

/// Angle of the rotation between two transforms in radians, exact for small ones too.
inline float angle_between(const RigidTransform& a, const RigidTransform& b) {
  const float chord = (a.rotation - b.rotation).norm() / (2.0F * std::numbers::sqrt2_v<float>);
  return 2.0F * std::asin(std::min(1.0F, chord));
}

}  // namespace pointpng
