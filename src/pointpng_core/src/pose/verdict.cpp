#include "pose/verdict.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

namespace pointpng {
namespace {

constexpr double kFree = 0.004;  // mean square of normal · motion: about 4° of a normal's error

constexpr double kClear = 0.3;  // relative margin from which on a case is as clear as can be
constexpr double kMostPreferred = 10.0;  // standard errors: more are as good

double logistic(double sum) { return 1.0 / (1.0 + std::exp(-sum)); }

}  // namespace

double confidence_of(const Evidence& evidence) {
  const double score = evidence.score;
  const double least_overlap = std::min(evidence.source_overlap, evidence.target_overlap);
  const double most_overlap = std::max(evidence.source_overlap, evidence.target_overlap);
  const double whole = std::clamp((least_overlap - 0.85) / 0.1, 0.0, 1.0);
  const double inside = std::clamp((most_overlap - 0.9) / 0.08, 0.0, 1.0);
  // Weights as bench/calibrate.py printed them.
  if (!evidence.searched)
    return logistic(9.258 + 2.912 * std::log(score + 0.02) + 0.850 * inside + 0.575 * whole -
                    0.372 * least_overlap - 9.653 * evidence.raggedness -
                    5.312 * evidence.residual);
  const double clarity = std::clamp(evidence.margin / std::max(0.05, score) / kClear, 0.0, 1.0);
  const double preference = std::clamp(evidence.preference, 0.0, kMostPreferred);
  const double log_preference = std::log(preference + 0.3);
  return logistic(4.309 + 1.085 * score - 3.621 * clarity + 1.564 * clarity * score +
                  1.048 * preference + 0.162 * log_preference + 0.526 * log_preference * inside -
                  1.112 * preference * score + 1.388 * inside - 1.094 * whole -
                  0.956 * most_overlap + 1.058 * least_overlap - 10.767 * evidence.raggedness -
                  6.856 * evidence.residual - 0.276 * evidence.rivals);
}

std::string objection(const Evidence& evidence, double confidence, double least) {
  if (evidence.free_directions >= 2)
    return fmt::format(
        "the surfaces slide on one another in {} directions, as a plane or a sphere does: there is "
        "no single pose",
        evidence.free_directions);
  if (confidence >= least) return "";
  const double overlap = std::max(evidence.source_overlap, evidence.target_overlap);
  if (overlap < 0.4)
    return fmt::format("only {:.0f} % of the surfaces overlap in the best placement",
                       100.0 * overlap);
  if (evidence.searched && evidence.margin < 0.1 * evidence.score)
    return fmt::format(
        "a placement turned by another {:.0f}° fits nearly as well (score {:.3f}, best {:.3f})",
        evidence.other_turn, evidence.score - evidence.margin, evidence.score);
  return fmt::format("the best placement fits too poorly (score {:.3f}, confidence {:.2f})",
                     evidence.score, confidence);
}

int free_directions(const Information& information, float radius) {
  if (information.weight <= 0.0) return 6;
  Eigen::Matrix<double, 6, 1> unit = Eigen::Matrix<double, 6, 1>::Ones();
  unit.head<3>().array() /= static_cast<double>(radius);  // a turn counts by how far it moves
  const Eigen::Matrix<double, 6, 6> scaled =
      unit.asDiagonal() * information.system * unit.asDiagonal() / information.weight;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> solver(scaled,
                                                                          Eigen::EigenvaluesOnly);
  return static_cast<int>((solver.eigenvalues().array() < kFree).count());
}

PoseCovariance covariance_of(const Information& information, const Scan& source,
                             const Placement& placement, float residual) {
  // Both scans' matches tell nearly the same, so half of them count.
  const double variance = 2.0 * static_cast<double>(residual) * residual;
  // Scaled to a unit diagonal, so that no unit makes the inverse imprecise.
  const Eigen::Matrix<double, 6, 1> scale =
      (information.system.diagonal().array() + 1e-300).sqrt().inverse();
  PoseCovariance scaled = scale.asDiagonal() * information.system * scale.asDiagonal();
  scaled.diagonal().array() += 1e-9;
  const PoseCovariance about_centre =  // (turn, shift)
      variance * (scale.asDiagonal() * scaled.inverse() * scale.asDiagonal()).eval();
  // x' = exp(w) (x - c) + c + v about the target's centre c; the source's origin is at c + o and
  // moves by v - o × w.
  const Eigen::Vector3d origin =
      placement.translation.cast<double>() - placement.rotation.cast<double>() * source.centre;
  Eigen::Matrix3d cross;
  cross << 0, -origin.z(), origin.y(), origin.z(), 0, -origin.x(), -origin.y(), origin.x(), 0;
  PoseCovariance to_pose = PoseCovariance::Zero();
  to_pose.topLeftCorner<3, 3>() = -cross;
  to_pose.topRightCorner<3, 3>().setIdentity();
  to_pose.bottomLeftCorner<3, 3>().setIdentity();
  return to_pose * about_centre * to_pose.transpose();
}

}  // namespace pointpng
