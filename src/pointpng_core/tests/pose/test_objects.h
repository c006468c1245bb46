#pragma once

#include <cstdint>
#include <memory>

#include <Eigen/Geometry>

#include "base/geometry.h"
#include "base/random.h"
#include "base/rows.h"
#include "embed/random_model.h"
#include "pointpng/cloud.h"
#include "pointpng/io.h"
#include "pointpng/registration.h"

namespace pointpng {

inline Eigen::Isometry3d random_motion(Random& random, double shift = 0.5) {
  const Eigen::Vector4f q = random.quaternion();
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  for (int axis = 0; axis < 3; ++axis)
    motion.translation()[axis] = shift * random.uniform(-1.0F, 1.0F);
  return motion;
}

/// Degrees between the rotations of two transforms.
inline double turn_between(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) {
  return Eigen::AngleAxisd(a.linear().transpose() * b.linear()).angle() * kDegreesPerRadian;
}

/// Two samples of the surface of an object without symmetry (a chair: family 0), the second one
/// transformed.
struct TestPair {
  Cloud source, target;
  Eigen::Isometry3d target_from_source;
};
inline TestPair chair_pair(std::uint64_t seed, Eigen::Index points = 1000) {
  Random random({seed, 77});
  const Cloud both = procedural_shape(seed, 0, static_cast<int>(2 * points)).points;
  TestPair pair;
  pair.target_from_source = random_motion(random);
  pair.source = both.topRows(points);
  pair.target = transformed(both.bottomRows(points), pair.target_from_source);
  return pair;
}

/// An untrained model: the equivariant backbone is exact even without training.
inline Registration untrained_registration(const RegistrationConfig& config = {}) {
  return {random_embedder(ModelConfig{}, 3), config};
}

inline Cloud sphere(Eigen::Index points, std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i) cloud.row(i) = random.direction().transpose();
  return cloud;
}

inline Cloud flat_square(Eigen::Index points, std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i)
    cloud.row(i) << random.uniform(-1.0F, 1.0F), random.uniform(-1.0F, 1.0F), 0.0F;
  return cloud;
}

}  // namespace pointpng
