#include "pose/icp.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "pose/normal_equations.h"

namespace pointpng {
namespace {

using Step = Eigen::Matrix<float, 6, 1>;

/// Sums the matches of up to `points` of each cloud, weighted by the Geman-McClure kernel and by
/// the agreement of the normals.
MatchSums sum_matches(const RegistrationProblem& problem, const RigidTransform& pose,
                      std::int64_t points, float kernel_scale) {
  const float limit = kernel_scale * kernel_scale;
  MatchSums sums;
  const auto visit = [&](const PreparedCloudData& from, const PreparedCloudData& to,
                         const RigidTransform& motion, bool forward) {
    const Eigen::Index count = std::min<Eigen::Index>(from.points.rows(), points);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Eigen::Index i = from.order[static_cast<std::size_t>(k)];
      const Eigen::Vector3f here = from.points.row(i).transpose(), place = motion * here;
      const int j = to.field.nearest(place);
      if (j < 0) continue;
      const Eigen::Vector3f there = to.points.row(j).transpose();
      const float square = (place - there).squaredNorm();
      if (square >= kIcp.match_limit * kIcp.match_limit * limit) continue;
      const Eigen::Vector3f own = from.normals.row(i).transpose(),
                            other = to.normals.row(j).transpose();
      const float cosine = other.dot(motion.rotation * own);
      const float robust = 1.0F / (1.0F + square / limit);
      const float weight = robust * robust * cosine * cosine;
      sums.add(forward ? Match{place, there, other, weight}
                       : Match{pose * there, here, own, weight});
    }
  };
  visit(problem.source, problem.target, pose, true);
  visit(problem.target, problem.source, pose.inverse(), false);
  sums.flush();
  return sums;
}

/// Solves H x = b. Rotation and translation have different units, so each block is damped by its
/// own trace.
Step solve_damped(NormalEquations equations) {
  auto diagonal = equations.h.diagonal();
  diagonal.head<3>().array() += kIcp.damping * diagonal.head<3>().sum();
  diagonal.tail<3>().array() += kIcp.damping * diagonal.tail<3>().sum();
  const Step scale = diagonal.cwiseSqrt().cwiseInverse();
  const Eigen::Matrix<float, 6, 6> scaled = scale.asDiagonal() * equations.h * scale.asDiagonal();
  return scale.cwiseProduct(scaled.ldlt().solve(scale.cwiseProduct(equations.b)));
}

RigidTransform moved_by(const Step& step, const RigidTransform& pose) {
  const float angle = step.head<3>().norm();
  const Eigen::Matrix3f turn =
      angle > 0.0F ? Eigen::AngleAxisf(angle, step.head<3>() / angle).toRotationMatrix()
                   : Eigen::Matrix3f::Identity();
  const Eigen::Matrix3f rotation = turn * pose.rotation;
  return {Eigen::Quaternionf(rotation).normalized().toRotationMatrix(),
          turn * pose.translation + step.tail<3>()};
}

}  // namespace

RigidTransform icp(const RegistrationProblem& problem, RigidTransform pose,
                   const IcpSchedule& schedule) {
  const float shrink = std::pow(schedule.last_kernel_scale / schedule.first_kernel_scale,
                                1.0F / static_cast<float>(std::max(1, schedule.iterations - 1)));
  float kernel_scale = schedule.first_kernel_scale;
  for (int i = 0; i < schedule.iterations; ++i, kernel_scale *= shrink) {
    const MatchSums sums = sum_matches(problem, pose, schedule.points, kernel_scale);
    NormalEquations equations = sums.point_to_plane();
    const NormalEquations point = sums.point_to_point();
    equations.h += kIcp.point_to_point * point.h;
    equations.b += kIcp.point_to_point * point.b;
    Step step = solve_damped(equations);
    if (!step.allFinite()) break;  // nothing matches
    const float angle = step.head<3>().norm();
    if (angle > kIcp.largest_step) step *= kIcp.largest_step / angle;
    pose = moved_by(step, pose);
    const float motion = angle * problem.target.radius + step.tail<3>().norm();
    if (motion < kIcp.converged * schedule.last_kernel_scale) break;
  }
  return pose;
}

Information information_at(const RegistrationProblem& problem, const RigidTransform& pose) {
  const MatchSums sums = sum_matches(problem, pose, problem.num_points, problem.spacing);
  return {sums.point_to_plane().h.cast<double>(), sums.weight()};
}

}  // namespace pointpng
