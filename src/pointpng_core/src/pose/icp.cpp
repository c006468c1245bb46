#include "pose/icp.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include "base/geometry.h"
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

/// A point of the source and its partner, as rows.
struct RowPair {
  Eigen::Index source, target;
  float square;  ///< of their distance
};

/// The nearest `overlap` share of the matches within a few spacings.
std::vector<RowPair> trimmed_pairs(const RegistrationProblem& problem, const RigidTransform& pose,
                                   float overlap) {
  const PreparedCloudData &source = problem.source, &target = problem.target;
  const float limit = kTrimmedIcp.match_limit * problem.spacing;
  std::vector<RowPair> pairs;
  for (Eigen::Index i = 0; i < source.points.rows();
       i += stride(source, kTrimmedIcp.source_points)) {
    const Eigen::Vector3f place = pose * Eigen::Vector3f(source.points.row(i).transpose());
    const int j = nearest_row(target, place);
    if (j < 0) continue;
    const float square = (target.points.row(j).transpose() - place).squaredNorm();
    if (square <= limit * limit) pairs.push_back({i, j, square});
  }
  const auto kept = static_cast<std::ptrdiff_t>(overlap * static_cast<float>(pairs.size()));
  std::ranges::nth_element(pairs, pairs.begin() + kept, {}, &RowPair::square);
  pairs.resize(static_cast<std::size_t>(kept));
  return pairs;
}

/// Generalised ICP (Segal 2009): distances count by the inverse of both surfaces' covariances,
/// which are discs as thin as `disc_thickness`.
NormalEquations plane_to_plane(const RegistrationProblem& problem, const RigidTransform& pose,
                               const std::vector<RowPair>& pairs) {
  NormalEquations sum{Eigen::Matrix<float, 6, 6>::Zero(), Step::Zero()};
  for (const RowPair& pair : pairs) {
    const Eigen::Vector3f moved =
        pose * Eigen::Vector3f(problem.source.points.row(pair.source).transpose());
    const Eigen::Vector3f offset = moved - problem.target.points.row(pair.target).transpose();
    Eigen::Matrix<float, 3, 2> normals;
    normals << pose.rotation * problem.source.normals.row(pair.source).transpose(),
        problem.target.normals.row(pair.target).transpose();
    const Eigen::Matrix3f covariance =
        2.0F * Eigen::Matrix3f::Identity() -
        (1.0F - kTrimmedIcp.disc_thickness) * normals * normals.transpose();
    Eigen::Matrix<float, 3, 6> jacobian;
    jacobian << -cross_matrix(moved), Eigen::Matrix3f::Identity();
    const Eigen::Matrix<float, 6, 3> weighted = jacobian.transpose() * covariance.inverse();
    sum.h += weighted * jacobian;
    sum.b -= weighted * offset;
  }
  return sum;
}

NormalEquations trimmed_equations(const RegistrationProblem& problem, const RigidTransform& pose,
                                  Refinement refinement, const std::vector<RowPair>& pairs) {
  if (refinement == Refinement::kGicp) return plane_to_plane(problem, pose, pairs);
  MatchSums sums;
  for (const RowPair& pair : pairs)
    sums.add({pose * Eigen::Vector3f(problem.source.points.row(pair.source).transpose()),
              problem.target.points.row(pair.target).transpose(),
              problem.target.normals.row(pair.target).transpose(), 1.0F});
  sums.flush();
  return refinement == Refinement::kPointToPlane ? sums.point_to_plane() : sums.point_to_point();
}

}  // namespace

RigidTransform trimmed_icp(const RegistrationProblem& problem, RigidTransform pose,
                           Refinement refinement, float source_overlap) {
  if (refinement == Refinement::kNone) return pose;
  const float overlap = std::clamp(source_overlap, kTrimmedIcp.least_overlap, 1.0F);
  for (int i = 0; i < kTrimmedIcp.iterations; ++i) {
    const std::vector<RowPair> pairs = trimmed_pairs(problem, pose, overlap);
    const Step step = solve_damped(trimmed_equations(problem, pose, refinement, pairs));
    if (!step.allFinite()) break;  // nothing matches
    pose = moved_by(step, pose);
  }
  return pose;
}

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
