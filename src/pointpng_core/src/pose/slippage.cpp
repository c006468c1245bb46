#include "pose/slippage.h"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "base/geometry.h"

namespace pointpng {

Slippage slippage_of(const RegistrationProblem& problem, const RigidTransform& pose,
                     const Information& information) {
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  Slippage slippage;
  if (information.weight <= 0.0) {
    slippage.unconstrained_dof = 6;
    return slippage;
  }
  // About the smaller cloud: far from it, a rotation is a translation.
  if (problem.source.radius < problem.target.radius) slippage.centre = pose.translation;
  Matrix6 about_centre = Matrix6::Identity();
  about_centre.bottomLeftCorner<3, 3>() = cross_matrix(slippage.centre.cast<double>());
  Vector6 unit = Vector6::Ones();
  unit.head<3>() /= static_cast<double>(problem.radius);  // a rotation counts by how far it moves
  const Matrix6 motions = about_centre * unit.asDiagonal();
  const Matrix6 scaled = motions.transpose() * information.h * motions / information.weight;
  const Eigen::SelfAdjointEigenSolver<Matrix6> solver(scaled);
  slippage.unconstrained_dof =
      static_cast<int>((solver.eigenvalues().array() < kSlippage.unconstrained).count());
  const Vector6 weakest = solver.eigenvectors().col(0);
  slippage.rotation = weakest.head<3>().cast<float>();
  slippage.translation = problem.radius * weakest.tail<3>().cast<float>();
  return slippage;
}

float sliding_score(const RegistrationProblem& problem, const Candidate& best,
                    const Slippage& slippage) {
  if (!slippage.is_translation(problem.radius) || best.fit.score <= 0.0F) return 0.0F;
  float highest = 0.0F;
  for (const float distance : kSlippage.distances) {
    const Eigen::Vector3f turn = distance * slippage.rotation;
    const float angle = turn.norm();
    const Eigen::Matrix3f rotation = angle > 0.0F
                                         ? Eigen::AngleAxisf(angle, turn / angle).toRotationMatrix()
                                         : Eigen::Matrix3f::Identity();
    const RigidTransform moved{rotation * best.pose.rotation,
                               slippage.centre +
                                   rotation * (best.pose.translation - slippage.centre) +
                                   distance * slippage.translation};
    highest = std::max(highest, problem.measure(moved, problem.num_points).score);
  }
  return highest / best.fit.score;
}

}  // namespace pointpng
