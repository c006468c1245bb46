#pragma once

#include <vector>

#include <Eigen/Geometry>

#include "base/random.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// A simple body somewhere in space, whose surface can be sampled.
struct Solid {
  enum class Kind { kBox, kFrustum, kEllipsoid, kTorus };
  Kind kind = Kind::kBox;
  /// Box: half of its sides. Frustum: radius below, radius above, half of its height (along z).
  /// Ellipsoid: half axes. Torus: radius of the ring, radius of the tube (around z).
  Eigen::Vector3f size = Eigen::Vector3f::Ones();
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();  ///< object from solid

  double area() const;
  Eigen::Vector3f sample(Random& random) const;       ///< uniform over the surface
  bool contains(const Eigen::Vector3f& point) const;  ///< strictly inside
};

/// `count` points, uniform over the surface of the union: none inside another part.
Cloud sample_union(const std::vector<Solid>& parts, Eigen::Index count, Random& random);

}  // namespace pointpng
