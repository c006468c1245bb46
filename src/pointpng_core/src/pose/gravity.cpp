#include "pose/gravity.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/geometry.h"
#include "pose/verify.h"

namespace pointpng {
namespace {

/// The source's up direction after the rotation, and the target's.
struct Ups {
  Eigen::Vector3f turned, target;
};

Ups ups_of(const RegistrationProblem& problem, const RigidTransform& pose) {
  return {pose.rotation * problem.up->source.cast<float>(), problem.up->target.cast<float>()};
}

}  // namespace

float tilt_of(const RegistrationProblem& problem, const RigidTransform& pose) {
  if (!problem.up) return 0.0F;
  const Ups ups = ups_of(problem, pose);
  return std::atan2(ups.turned.cross(ups.target).norm(), ups.turned.dot(ups.target));
}

bool is_upright(const RegistrationProblem& problem, const RigidTransform& pose) {
  return tilt_of(problem, pose) <= kGravity.upright;
}

void turn_upright(const RegistrationProblem& problem, Candidates& candidates) {
  if (!problem.up) return;
  for (Candidate& candidate : candidates) {
    if (tilt_of(problem, candidate.pose) > kGravity.turned) continue;
    const Ups ups = ups_of(problem, candidate.pose);
    candidate.pose.rotation =
        Eigen::Quaternionf::FromTwoVectors(ups.turned, ups.target).toRotationMatrix() *
        candidate.pose.rotation;
  }
}

Candidates upright_first(const RegistrationProblem& problem, Candidates candidates) {
  std::stable_partition(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return is_upright(problem, candidate.pose);
  });
  return candidates;
}

std::string gravity_objection(const RegistrationProblem& problem, const Candidates& candidates) {
  const auto degrees = [&](const Candidate& candidate) {
    return kDegreesPerRadian * tilt_of(problem, candidate.pose);
  };
  const Candidate& best = candidates.front();
  if (!is_upright(problem, best.pose))
    return fmt::format("nothing fits upright, and the best pose is tilted by {:.0f}°",
                       degrees(best));
  for (const Candidate& other : candidates)
    if (!is_upright(problem, other.pose) && other.fit.score > best.fit.score &&
        !is_symmetric(problem, best, other))
      return fmt::format(
          "a pose that is tilted by {:.0f}° fits better than the best upright one (score {:.3f} "
          "and {:.3f})",
          degrees(other), other.fit.score, best.fit.score);
  return "";
}

}  // namespace pointpng
