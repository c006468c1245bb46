#pragma once

#include <optional>
#include <vector>

#include "embed/rotation_search.h"
#include "pose/problem.h"

namespace pointpng {

/// A source of hypotheses. What it proposes is refined and verified like everything else, so it may
/// be wrong, but not slow.
class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual Candidates propose(const RegistrationProblem& problem) const = 0;
};

/// Rotations from the embeddings, each with the translation from centroid to centroid: right for
/// whole objects.
class CentroidProposer : public Proposer {
 public:
  explicit CentroidProposer(const std::vector<RotationHypothesis>& rotations)
      : rotations_(rotations) {}
  Candidates propose(const RegistrationProblem& problem) const override;

 private:
  const std::vector<RotationHypothesis>& rotations_;
};

/// The same rotations, each with the translations that most pairs of points with similar normals
/// agree on (Hough voting): may be right where the overlap is partial.
class TranslationVotingProposer : public Proposer {
 public:
  explicit TranslationVotingProposer(const std::vector<RotationHypothesis>& rotations)
      : rotations_(rotations) {}
  Candidates propose(const RegistrationProblem& problem) const override;

 private:
  const std::vector<RotationHypothesis>& rotations_;
};

/// Poses that map a pair of points with normals of the source onto a similar pair of the target
/// (point pair features, Drost 2010), best first: they need no more overlap than two small places
/// far apart. Rare pairs are preferred, because corners say more than flat walls. Deterministic.
class PointPairProposer : public Proposer {
 public:
  Candidates propose(const RegistrationProblem& problem) const override;
};

/// Poses of the smaller cloud, a model, in the larger one, a cluttered scene: every point of a
/// subset of the scene votes for the model points and rolls that its pairs with the points around
/// it suggest (point pair features with Hough voting, Drost 2010).
class PoseVotingProposer : public Proposer {
 public:
  /// `effort`: times as many points of the model and of the scene as usual.
  explicit PoseVotingProposer(std::size_t effort = 1) : effort_(effort) {}
  Candidates propose(const RegistrationProblem& problem) const override;

 private:
  std::size_t effort_;
};

/// Poses on which matches of local neighbourhoods agree. A ball of points is described by moments
/// that rotate as it does, so one match is a whole pose.
class LocalMatchProposer : public Proposer {
 public:
  Candidates propose(const RegistrationProblem& problem) const override;
};

/// Rotations that bring the distributions of normals onto each other (extended Gaussian images,
/// Horn 1984) by the same correlation as embeddings, each with voted translations: scenes with
/// walls and floors need little overlap for it.
class NormalDistributionProposer : public Proposer {
 public:
  Candidates propose(const RegistrationProblem& problem) const override;
};

/// The caller's initial guess, where there is one.
class GuessProposer : public Proposer {
 public:
  explicit GuessProposer(const std::optional<Eigen::Isometry3d>& target_from_source)
      : guess_(target_from_source) {}
  Candidates propose(const RegistrationProblem& problem) const override;

 private:
  const std::optional<Eigen::Isometry3d>& guess_;
};

}  // namespace pointpng
