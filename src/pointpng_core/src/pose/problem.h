#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "pointpng/alignment.h"
#include "pose/fit.h"
#include "pose/parameters.h"
#include "pose/prepared_cloud.h"
#include "pose/rigid_transform.h"

namespace pointpng {

/// A pair of clouds to be registered, with the lengths that all stages measure by.
struct RegistrationProblem {
  RegistrationProblem(const PreparedCloudData& source_cloud, const PreparedCloudData& target_cloud)
      : source(source_cloud),
        target(target_cloud),
        spacing(std::max(source.spacing, target.spacing)),
        radius(std::min(source.radius, target.radius)),
        inlier_distance(kPair.inlier_distance * spacing),
        num_points(source.points.rows() + target.points.rows()) {
    if (source.up && target.up) up = {*source.up, *target.up};
  }

  const PreparedCloudData &source, &target;
  float spacing;                   ///< of the coarser cloud
  float radius;                    ///< of the smaller cloud
  float inlier_distance;           ///< of a point to the other surface
  std::optional<UpDirections> up;  ///< where both clouds know it
  std::int64_t num_points;   ///< of both clouds: "all points" for everything that takes a number
  bool is_detailed = false;  ///< at a finer resolution than the embedding's

  /// Whether two poses are one hypothesis.
  bool is_same(const RigidTransform& a, const RigidTransform& b) const {
    return (a.translation - b.translation).norm() < kPair.same_shift * radius &&
           angle_between(a, b) < kPair.same_angle;
  }

  /// A pose in the clouds' own frames, between the centred points.
  RigidTransform centred(const Eigen::Isometry3d& target_from_source) const {
    return {target_from_source.linear().cast<float>(),
            (target_from_source * source.centre - target.centre).cast<float>()};
  }

  /// The reverse.
  Eigen::Isometry3d uncentred(const RigidTransform& pose) const {
    Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
    const Eigen::Matrix3d rotation =
        Eigen::Quaterniond(pose.rotation.cast<double>()).normalized().toRotationMatrix();
    transform.linear() = rotation;
    transform.translation() =
        target.centre + pose.translation.cast<double>() - rotation * source.centre;
    return transform;
  }

  Fit measure(const RigidTransform& pose, std::int64_t points) const {
    return measure_fit(source, target, pose, points, inlier_distance);
  }
};

/// A hypothesis on its way through the stages.
struct Candidate {
  RigidTransform pose;
  Origin origin = Origin::kEmbedding;
  double embedding_loss = std::numeric_limits<double>::quiet_NaN();
  Fit fit;
};

using Candidates = std::vector<Candidate>;

/// Best score first; of candidates with the same pose only the best stays.
void sort_distinct(const RegistrationProblem& problem, Candidates& candidates);

}  // namespace pointpng
