#pragma once

#include <numbers>

#include <Eigen/Core>

namespace pointpng {

inline constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;
inline constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;

/// The matrix M with M v = a × v.
template <typename Derived>
Eigen::Matrix<typename Derived::Scalar, 3, 3> cross_matrix(const Eigen::MatrixBase<Derived>& a) {
  Eigen::Matrix<typename Derived::Scalar, 3, 3> matrix;
  matrix << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return matrix;
}

}  // namespace pointpng
