#pragma once

#include "pose/icp.h"
#include "pose/normal_equations.h"
#include "pose/problem.h"

namespace pointpng {

/// The motion that changes the distance of the surfaces least (slippage analysis, Gelfand 2004).
struct Slippage {
  int unconstrained_dof = 0;                              ///< motions that hardly change it
  Eigen::Vector3f rotation = Eigen::Vector3f::Zero();     ///< about `centre`, radians …
  Eigen::Vector3f translation = Eigen::Vector3f::Zero();  ///< … for a motion of one radius
  Eigen::Vector3f centre = Eigen::Vector3f::Zero();       ///< of the smaller cloud, in the target

  bool is_translation(float radius) const { return translation.norm() > radius * rotation.norm(); }
};

Slippage slippage_of(const RegistrationProblem& problem, const RigidTransform& pose,
                     const Information& information);

/// Where the surfaces slide along a direction, as those of a corridor: the highest score at some
/// distances along it, as a share of the score at the pose. 0 where a rotation is the freer motion.
float sliding_score(const RegistrationProblem& problem, const Candidate& best,
                    const Slippage& slippage);

}  // namespace pointpng
