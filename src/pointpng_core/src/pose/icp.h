#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "pointpng/registration.h"
#include "pose/problem.h"

namespace pointpng {

/// How ICP proceeds. The scale of its kernel falls geometrically from the first to the last
/// iteration, so that what does not overlap loses its weight.
struct IcpSchedule {
  std::int64_t points = 256;  ///< of each cloud
  int iterations = 12;
  float first_kernel_scale = 0.0F;
  float last_kernel_scale = 0.0F;
};

/// ICP in both directions with point-to-plane residuals and a Geman-McClure kernel, by Gauss-Newton
/// steps.
RigidTransform icp(const RegistrationProblem& problem, RigidTransform pose,
                   const IcpSchedule& schedule);

/// The last refinement of a pose: trimmed ICP (Chetverikov 2002) from the source to the target.
/// Matches are trimmed to the share of the source that overlaps and to a few spacings, so there is
/// nothing to tune.
RigidTransform trimmed_icp(const RegistrationProblem& problem, RigidTransform pose,
                           Refinement refinement, float source_overlap);

/// The normal equations' matrix H of the point-to-plane residuals at a pose, for a small rotation
/// about the target's centroid and a translation: the information that the matches hold.
struct Information {
  Eigen::Matrix<double, 6, 6> h = Eigen::Matrix<double, 6, 6>::Zero();
  double weight = 0.0;  ///< sum of the matches' weights
};
Information information_at(const RegistrationProblem& problem, const RigidTransform& pose);

}  // namespace pointpng
