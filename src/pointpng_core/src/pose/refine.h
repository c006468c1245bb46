#pragma once

#include "pointpng/registration.h"
#include "pose/problem.h"

namespace pointpng {

/// Refines many hypotheses by few points, coarse to fine; keeps the best distinct ones, best first.
class CoarseRefiner {
 public:
  void refine(const RegistrationProblem& problem, Candidates& candidates) const {
    refine(problem, problem, candidates);
  }
  /// The same, judged at another resolution.
  void refine(const RegistrationProblem& problem, const RegistrationProblem& judge,
              Candidates& candidates) const;
};

/// Refines the contenders by all points, then by trimmed ICP where that improves the score.
class FineRefiner {
 public:
  explicit FineRefiner(Refinement refinement) : refinement_(refinement) {}
  void refine(const RegistrationProblem& problem, Candidates& candidates) const;

 private:
  void refine_trimmed(const RegistrationProblem& problem, Candidate& candidate) const;

  Refinement refinement_;
};

/// Scores hypotheses by all points without moving them.
void score_all(const RegistrationProblem& problem, Candidates& candidates);

}  // namespace pointpng
