#pragma once

#include <memory>

#include "pose/problem.h"
#include "pose/test_objects.h"

namespace pointpng {

/// A pair of prepared clouds, with the truth between their centred points.
struct TestProblem {
  TestProblem(const Cloud& source_cloud, const Cloud& target_cloud,
              const Eigen::Isometry3d& target_from_source)
      : source(prepare_cloud(source_cloud, 1024, "source")),
        target(prepare_cloud(target_cloud, 1024, "target")),
        problem(*source, *target),
        truth(problem.centred(target_from_source)) {}
  explicit TestProblem(const TestPair& pair)
      : TestProblem(pair.source, pair.target, pair.target_from_source) {}
  explicit TestProblem(std::uint64_t seed) : TestProblem(chair_pair(seed)) {}

  std::shared_ptr<const PreparedCloudData> source, target;
  RegistrationProblem problem;
  RigidTransform truth;
};

inline float degrees_between(const RigidTransform& a, const RigidTransform& b) {
  return angle_between(a, b) * static_cast<float>(kDegreesPerRadian);
}

inline RigidTransform nudged(const RigidTransform& pose, float degrees, float shift) {
  const Eigen::AngleAxisf turn(degrees * static_cast<float>(kRadiansPerDegree),
                               Eigen::Vector3f(1, 2, -1).normalized());
  return {turn.toRotationMatrix() * pose.rotation,
          pose.translation + Eigen::Vector3f(shift, -shift, shift)};
}

/// The points of a cloud for which `wanted` holds.
template <typename Wanted>
Cloud part_of(const Cloud& cloud, Wanted wanted) {
  std::vector<std::int64_t> rows;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    if (wanted(i)) rows.push_back(i);
  return rows_at(cloud, rows);
}

}  // namespace pointpng
