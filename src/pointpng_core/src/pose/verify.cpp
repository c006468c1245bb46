#include "pose/verify.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "base/geometry.h"
#include "pose/confidence.h"
#include "pose/gravity.h"
#include "pose/occupancy.h"
#include "pose/slippage.h"
#include "pose/visibility.h"

namespace pointpng {
namespace {

bool is_whole(const Fit& fit) {
  return fit.source_overlap > kVerification.whole && fit.target_overlap > kVerification.whole;
}

/// Whether a motion brings a cloud onto itself as well as `best` fits where the clouds overlap.
bool is_symmetry_of(const PreparedCloudData& cloud, const RigidTransform& motion, const Fit& best) {
  const float inlier_distance = kPair.inlier_distance * cloud.spacing;
  const auto fit_by = [&](std::int64_t points) {
    return measure_fit(cloud, cloud, motion, points, inlier_distance);
  };
  if (fit_by(kVerification.few_points).source_overlap < kVerification.few_overlap) return false;
  const Fit fit = fit_by(cloud.points.rows());
  const float overlap = 0.5F * (best.source_overlap + best.target_overlap);
  return is_whole(fit) && fit.score * overlap >= kVerification.symmetric_score * best.score;
}

Hypothesis to_hypothesis(const RegistrationProblem& problem, const Candidate& candidate) {
  return {problem.uncentred(candidate.pose),
          candidate.origin,
          candidate.embedding_loss,
          candidate.fit.score,
          candidate.fit.source_overlap,
          candidate.fit.target_overlap,
          candidate.fit.residual};
}

/// Whether another pose of the object may be that of another copy.
bool may_be_another(const RegistrationProblem& problem, const Candidate& best,
                    const Candidate& other) {
  return problem.target.holds_copies &&
         leaves_its_place(problem.source, other.pose.inverse() * best.pose);
}

/// Places of the candidates that are as good an answer as the first because of a symmetry; the
/// first is one of them.
std::vector<std::size_t> symmetric_modes(const RegistrationProblem& problem,
                                         const Candidates& candidates) {
  const Candidate& best = candidates.front();
  std::vector<std::size_t> modes = {0};
  for (std::size_t k = 1; k < candidates.size(); ++k)
    if (candidates[k].fit.score >= kVerification.symmetric_mode * best.fit.score &&
        is_symmetric(problem, best, candidates[k]))
      modes.push_back(k);
  return modes;
}

}  // namespace

bool is_symmetric(const RegistrationProblem& problem, const Candidate& best,
                  const Candidate& other) {
  return is_symmetry_of(problem.source, other.pose.inverse() * best.pose, best.fit) ||
         is_symmetry_of(problem.target, best.pose * other.pose.inverse(), best.fit);
}

Evidence evidence_of(const RegistrationProblem& problem, const Candidates& candidates) {
  const auto pointwise = [&](const Candidate& candidate) {
    return pointwise_fit(problem.source, problem.target, candidate.pose, problem.inlier_distance);
  };
  const Candidate& best = candidates.front();
  const PointwiseFit best_points = pointwise(best);
  Evidence evidence;
  evidence.detailed = problem.is_detailed;
  evidence.score = evidence.margin = best.fit.score;
  evidence.source_overlap = best.fit.source_overlap;
  evidence.target_overlap = best.fit.target_overlap;
  evidence.residual = best.fit.residual / problem.spacing;
  evidence.fragmentation = fragmentation(problem.source, problem.target, best_points);
  evidence.separation = kVerification.max_separation;
  evidence.contradiction = best.fit.contradiction;
  evidence.expected_source_overlap =
      expected_overlap(problem.source, problem.target, best.pose, problem.inlier_distance);
  evidence.expected_target_overlap = expected_overlap(problem.target, problem.source,
                                                      best.pose.inverse(), problem.inlier_distance);
  bool is_first = true;
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    const Candidate& competitor = candidates[k];
    if (is_symmetric(problem, best, competitor) || may_be_another(problem, best, competitor))
      continue;
    if (is_first) {
      evidence.margin = best.fit.score - competitor.fit.score;
      evidence.competitor_angle_deg = kDegreesPerRadian * angle_between(best.pose, competitor.pose);
    }
    is_first = false;
    if (competitor.fit.score > kRefinement.contender * best.fit.score) evidence.competitors += 1.0;
    evidence.separation =
        std::min<double>(evidence.separation, separation(best_points, pointwise(competitor)));
  }
  return evidence;
}

bool Verifier::is_decisive(const RegistrationProblem& problem, const Candidates& candidates) const {
  // A caller who accepts anything must not get a worse answer for it.
  const double least = std::max(config_.min_confidence, RegistrationConfig().min_confidence);
  return is_whole(candidates.front().fit) &&
         confidence_of(evidence_of(problem, candidates)) >= least;
}

bool Verifier::is_clear(const RegistrationProblem& problem, const Candidates& candidates) const {
  return confidence_of(evidence_of(problem, candidates)) >=
         std::max(config_.min_confidence, kVerification.clear);
}

Alignment Verifier::conclude(const RegistrationProblem& problem, const Candidates& candidates,
                             bool searched) const {
  const Candidate& best = candidates.front();
  const Information information = information_at(problem, best.pose);
  Alignment result;
  result.evidence = evidence_of(problem, candidates);
  result.evidence.searched = searched;
  const Slippage slippage = slippage_of(problem, best.pose, information);
  result.evidence.unconstrained_dof = slippage.unconstrained_dof;
  result.evidence.sliding = sliding_score(problem, best, slippage);
  result.evidence.sliding_direction = slippage.translation.cast<double>().normalized();
  const std::vector<std::size_t> modes = symmetric_modes(problem, candidates);
  result.num_symmetric_modes = static_cast<int>(modes.size());
  const std::size_t reported =
      std::max(modes.back() + 1, static_cast<std::size_t>(config_.num_hypotheses));
  for (std::size_t k = 0; k < std::min(reported, candidates.size()); ++k)
    result.hypotheses.push_back(to_hypothesis(problem, candidates[k]));
  result.target_from_source = result.hypotheses.front().target_from_source;
  result.covariance = covariance_of(problem, best.pose, information,
                                    std::max(best.fit.residual, 1e-6F * problem.spacing));
  result.confidence = confidence_of(result.evidence);
  result.score = best.fit.score;
  result.residual = best.fit.residual;
  result.embedding_loss = best.embedding_loss;
  if (result.evidence.unconstrained_dof == 1)
    result.notes.emplace_back(
        "the shape is a body of revolution: the angle about its axis is arbitrary");
  result.rejection_reason = gravity_objection(problem, candidates);
  if (result.rejection_reason.empty())
    result.rejection_reason =
        rejection_reason(result.evidence, result.confidence, config_.min_confidence);
  result.accepted = result.rejection_reason.empty();
  return result;
}

std::string rejection_reason(const Evidence& evidence, double confidence, double min_confidence) {
  if (evidence.unconstrained_dof >= 2)
    return fmt::format(
        "the surfaces slide along {} degrees of freedom, as planes or spheres do: the pose is not "
        "unique",
        evidence.unconstrained_dof);
  if (evidence.sliding > kSlippage.free)
    return fmt::format(
        "the pose is free along ({:.2f}, {:.2f}, {:.2f}): moved that way the surfaces fit almost "
        "as "
        "well, as in a corridor",
        evidence.sliding_direction.x(), evidence.sliding_direction.y(),
        evidence.sliding_direction.z());
  if (confidence >= min_confidence) return "";
  if (evidence.contradiction > kVisibility.named)
    return fmt::format("{:.0f} % of a cloud would stand in front of what the other's sensor saw",
                       100.0 * evidence.contradiction);
  const double overlap = std::max(evidence.source_overlap, evidence.target_overlap);
  if (overlap < kVerification.low_overlap)
    return fmt::format("only {:.0f} % of the surfaces overlap in the best pose", 100.0 * overlap);
  if (evidence.searched && evidence.margin < kVerification.close_competitor * evidence.score)
    return fmt::format("a pose {:.0f}° away fits almost as well (score {:.3f}, best {:.3f})",
                       evidence.competitor_angle_deg, evidence.score - evidence.margin,
                       evidence.score);
  return fmt::format("the best pose does not fit well enough (score {:.3f}, confidence {:.2f})",
                     evidence.score, confidence);
}

PoseCovariance covariance_of(const RegistrationProblem& problem, const RigidTransform& pose,
                             const Information& information, float residual) {
  // The matches of both directions say nearly the same, so half of them count.
  const double variance = 2.0 * static_cast<double>(residual) * residual;
  // Scaled to a unit diagonal, so that no unit makes the inverse imprecise.
  const Eigen::Matrix<double, 6, 1> scale =
      (information.h.diagonal().array() + 1e-300).sqrt().inverse();
  PoseCovariance scaled = scale.asDiagonal() * information.h * scale.asDiagonal();
  scaled.diagonal().array() += 1e-9;
  const PoseCovariance about_centre =  // (rotation, translation)
      variance * (scale.asDiagonal() * scaled.inverse() * scale.asDiagonal()).eval();
  // x' = exp(w) (x - c) + c + v about the target's centroid c; the source's origin is at c + o and
  // moves by v - o × w.
  const Eigen::Vector3d origin =
      pose.translation.cast<double>() - pose.rotation.cast<double>() * problem.source.centre;
  PoseCovariance to_pose = PoseCovariance::Zero();
  to_pose.topLeftCorner<3, 3>() = -cross_matrix(origin);
  to_pose.topRightCorner<3, 3>().setIdentity();
  to_pose.bottomLeftCorner<3, 3>().setIdentity();
  return to_pose * about_centre * to_pose.transpose();
}

}  // namespace pointpng
