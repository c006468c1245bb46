#pragma once

#include <string>

#include "pointpng/registration.h"
#include "pose/icp.h"
#include "pose/problem.h"

namespace pointpng {

/// Judges the best of the refined hypotheses: evidence, competitors, symmetry, degeneracy,
/// covariance and confidence.
class Verifier {
 public:
  explicit Verifier(const RegistrationConfig& config) : config_(config) {}

  /// Whether the whole clouds fit so well that no other source of hypotheses could do better.
  bool is_decisive(const RegistrationProblem& problem, const Candidates& candidates) const;

  /// Whether the first candidate is so good that more hypotheses would only cost time.
  bool is_clear(const RegistrationProblem& problem, const Candidates& candidates) const;

  /// The answer. `searched`: false where the only candidate comes from a guess, so that there is
  /// nothing to compare it with.
  Alignment conclude(const RegistrationProblem& problem, const Candidates& candidates,
                     bool searched) const;

 private:
  RegistrationConfig config_;
};

/// What speaks for and against the first candidate.
Evidence evidence_of(const RegistrationProblem& problem, const Candidates& candidates);

/// Whether two poses differ by a symmetry of the source or the target, so that both are right.
bool is_symmetric(const RegistrationProblem& problem, const Candidate& best,
                  const Candidate& other);

/// Why a hypothesis with this evidence is rejected: a sentence, or empty where it is accepted.
std::string rejection_reason(const Evidence& evidence, double confidence, double min_confidence);

/// Covariance of the pose from the information at it and the residual.
PoseCovariance covariance_of(const RegistrationProblem& problem, const RigidTransform& pose,
                             const Information& information, float residual);

}  // namespace pointpng
