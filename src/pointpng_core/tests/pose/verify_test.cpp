#include "pose/verify.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pose/confidence.h"
#include "pose/refine.h"
#include "pose/slippage.h"
#include "pose/test_problems.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

/// A clear case: two samples of one object.
Evidence clear_case() {
  Evidence evidence;
  evidence.score = 0.6;
  evidence.source_overlap = evidence.target_overlap = 0.98;
  evidence.residual = 0.1;
  evidence.margin = 0.3;
  evidence.separation = 10.0;
  evidence.fragmentation = 0.05;
  return evidence;
}

double confidence_after(const std::function<void(Evidence&)>& change,
                        Evidence evidence = clear_case()) {
  change(evidence);
  return confidence_of(evidence);
}

TEST(ConfidenceTest, IsHighInAClearCaseAndLowInAPoorOne) {
  EXPECT_GT(confidence_of(clear_case()), 0.98);
  Evidence poor;
  poor.score = poor.margin = 0.05;
  poor.source_overlap = poor.target_overlap = 0.3;
  poor.residual = 0.4;
  poor.fragmentation = 0.5;
  poor.separation = 0.5;
  poor.competitors = 3;
  EXPECT_LT(confidence_of(poor), 0.2);
}

TEST(ConfidenceTest, FallsWithEachPieceOfEvidenceAgainstIt) {
  for (const bool searched : {true, false}) {
    Evidence evidence = clear_case();
    evidence.searched = searched;
    const double clear = confidence_of(evidence);
    EXPECT_LT(confidence_after([](Evidence& e) { e.fragmentation = 0.4; }, evidence), clear);
    EXPECT_LT(confidence_after([](Evidence& e) { e.residual = 0.3; }, evidence), clear);
    EXPECT_LT(
        confidence_after([](Evidence& e) { e.source_overlap = e.target_overlap = 0.5; }, evidence),
        clear);
  }
  EXPECT_LT(confidence_after([](Evidence& e) { e.separation = 0.5; }), confidence_of(clear_case()));
  EXPECT_LT(confidence_after([](Evidence& e) { e.competitors = 4; }), confidence_of(clear_case()));
  Evidence tracked = clear_case();
  tracked.searched = false;
  EXPECT_LT(confidence_after([](Evidence& e) { e.score = 0.1; }, tracked), confidence_of(tracked));
}

TEST(ConfidenceTest, NeverFallsWhenTheEvidenceGetsBetter) {
  Random random({6});
  for (int i = 0; i < 2000; ++i) {
    Evidence worse;
    worse.searched = random.below(2) == 0;
    worse.score = random.uniform(0.0F, 0.8F);
    worse.source_overlap = random.uniform();
    worse.target_overlap = random.uniform();
    worse.residual = random.uniform(0.0F, 0.6F);
    worse.fragmentation = random.uniform();
    worse.separation = random.uniform(-2.0F, 10.0F);
    worse.competitors = static_cast<double>(random.below(6));
    worse.margin = worse.score * random.uniform();
    Evidence better = worse;
    better.score += 0.1;
    better.margin += 0.1;  // the competitor stays as it was
    better.source_overlap = std::min(1.0, better.source_overlap + 0.1);
    better.target_overlap = std::min(1.0, better.target_overlap + 0.1);
    better.residual *= 0.8;
    better.fragmentation *= 0.8;
    better.separation += 1.0;
    better.competitors = std::max(0.0, better.competitors - 1.0);
    EXPECT_GE(confidence_of(better), confidence_of(worse)) << i;
  }
}

TEST(ConfidenceTest, CompetitorsDoNotMatterToATrackedPose) {
  Evidence tracked = clear_case();
  tracked.searched = false;
  const double alone = confidence_of(tracked);
  tracked.margin = 0.0;
  tracked.separation = 0.0;
  tracked.competitors = 7;
  EXPECT_EQ(confidence_of(tracked), alone);
}

TEST(ConfidenceTest, IsAProbabilityForAnyEvidence) {
  Random random({5});
  for (int i = 0; i < 1000; ++i) {
    Evidence evidence;
    evidence.score = random.uniform(-0.5F, 1.0F);
    evidence.margin = random.uniform(-0.5F, 1.0F);
    evidence.separation = random.uniform(-20.0F, 20.0F);
    evidence.residual = random.uniform(0.0F, 2.0F);
    evidence.searched = random.below(2) == 0;
    const double confidence = confidence_of(evidence);
    EXPECT_GE(confidence, 0.0);
    EXPECT_LE(confidence, 1.0);
  }
}

TEST(RejectionReasonTest, EveryReasonIsReached) {
  EXPECT_EQ(rejection_reason(clear_case(), 0.9, 0.9), "");
  Evidence sliding = clear_case();
  sliding.unconstrained_dof = 3;
  EXPECT_THAT(rejection_reason(sliding, 0.99, 0.9), HasSubstr("slide along 3 degrees"));
  Evidence apart = clear_case();
  apart.source_overlap = apart.target_overlap = 0.31;
  EXPECT_EQ(rejection_reason(apart, 0.5, 0.9),
            "only 31 % of the surfaces overlap in the best pose");
  Evidence ambiguous = clear_case();
  ambiguous.margin = 0.02;
  ambiguous.competitor_angle_deg = 90.0;
  EXPECT_EQ(rejection_reason(ambiguous, 0.5, 0.9),
            "a pose 90° away fits almost as well (score 0.580, best 0.600)");
  ambiguous.searched = false;
  EXPECT_THAT(rejection_reason(ambiguous, 0.5, 0.9), HasSubstr("does not fit well enough"));
  EXPECT_EQ(rejection_reason(clear_case(), 0.5, 0.9),
            "the best pose does not fit well enough (score 0.600, confidence 0.50)");
}

TEST(RejectionReasonTest, ABodyOfRevolutionIsAccepted) {
  Evidence revolution = clear_case();
  revolution.unconstrained_dof = 1;
  EXPECT_EQ(rejection_reason(revolution, 0.95, 0.9), "");
}

/// A box with different edges: symmetric under three rotations by 180°.
Cloud box(Eigen::Index points, std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i) {
    Eigen::Array3f place(random.uniform(-1.0F, 1.0F), random.uniform(-1.0F, 1.0F),
                         random.uniform(-1.0F, 1.0F));
    place[random.below(3)] = random.uniform() < 0.5F ? -1.0F : 1.0F;
    cloud.row(i) = (place * Eigen::Array3f(1.0F, 0.6F, 0.3F)).matrix().transpose();
  }
  return cloud;
}

Candidates scored(const RegistrationProblem& problem, const std::vector<RigidTransform>& poses) {
  Candidates candidates;
  for (const RigidTransform& pose : poses) {
    Candidate candidate;
    candidate.pose = pose;
    candidates.push_back(candidate);
  }
  score_all(problem, candidates);
  return candidates;
}

RigidTransform half_turn(int axis) {
  return {
      Eigen::AngleAxisf(std::numbers::pi_v<float>, Eigen::Vector3f::Unit(axis)).toRotationMatrix(),
      Eigen::Vector3f::Zero()};
}

TEST(SymmetryTest, TheHalfTurnsOfABoxAreModesAndAllAreReported) {
  const TestProblem pair(box(1000, 1), box(1000, 2), Eigen::Isometry3d::Identity());
  Candidates candidates = scored(pair.problem, {pair.truth, half_turn(0), half_turn(1),
                                                half_turn(2), nudged(pair.truth, 90.0F, 0.0F)});
  CoarseRefiner().refine(pair.problem, candidates);
  FineRefiner(Refinement::kPointToPlane).refine(pair.problem, candidates);
  const Alignment found =
      Verifier({.num_hypotheses = 1}).conclude(pair.problem, candidates, /*searched=*/true);
  EXPECT_EQ(found.num_symmetric_modes, 4);
  EXPECT_GE(found.hypotheses.size(), 4U);
  EXPECT_TRUE(found.accepted) << found.rejection_reason;
}

TEST(SymmetryTest, AnAsymmetricCompetitorIsNoMode) {
  // The same box with a lid on one end: 180° about z fits nearly everywhere.
  const auto lidded = [](std::uint64_t seed) {
    Cloud cloud(1100, 3);
    cloud.topRows(1000) = box(1000, seed);
    cloud.bottomRows(100) =
        (box(100, seed + 50) * 0.3F).rowwise() + Eigen::RowVector3f(0.9F, 0.0F, 0.45F);
    return cloud;
  };
  const TestProblem pair(lidded(1), lidded(2), Eigen::Isometry3d::Identity());
  const Candidates candidates = scored(pair.problem, {pair.truth, half_turn(2)});
  const Alignment found = Verifier({}).conclude(pair.problem, candidates, /*searched=*/true);
  EXPECT_EQ(found.num_symmetric_modes, 1);
  EXPECT_NEAR(found.evidence.competitor_angle_deg, 180.0, 2.0);
  EXPECT_GT(found.evidence.margin, 0.0);
}

TEST(DegeneracyTest, CountsTheFreedomOfKnownShapes) {
  const auto dof = [](const Cloud& a, const Cloud& b) {
    const TestProblem pair(a, b, Eigen::Isometry3d::Identity());
    return slippage_of(pair.problem, pair.truth, information_at(pair.problem, pair.truth))
        .unconstrained_dof;
  };
  const auto cylinder = [](std::uint64_t seed) {
    Random random({seed});
    Cloud cloud(2000, 3);
    for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
      const float angle = random.uniform(0.0F, 6.2832F);
      const bool on_lid = random.uniform() < 0.3F;
      const float r = on_lid ? 0.5F * std::sqrt(random.uniform()) : 0.5F;
      cloud.row(i) << r * std::cos(angle), r * std::sin(angle),
          on_lid ? (random.uniform() < 0.5F ? -1.0F : 1.0F) : random.uniform(-1.0F, 1.0F);
    }
    return cloud;
  };
  EXPECT_EQ(dof(sphere(1000, 1), sphere(1000, 2)), 3);
  EXPECT_EQ(dof(flat_square(1000, 1), flat_square(1000, 2)), 3);
  EXPECT_EQ(dof(cylinder(1), cylinder(2)), 1);
  EXPECT_EQ(dof(box(1000, 1), box(1000, 2)), 0);
}

TEST(VerifierTest, IsDecisiveExactlyWhereTheWholeWouldBeAccepted) {
  const TestProblem pair(3);
  const Candidates good = scored(pair.problem, {pair.truth});
  EXPECT_TRUE(Verifier({}).is_decisive(pair.problem, good));
  EXPECT_FALSE(Verifier({.min_confidence = 1.0}).is_decisive(pair.problem, good));
  const Candidates off = scored(pair.problem, {nudged(pair.truth, 30.0F, 0.1F)});
  EXPECT_FALSE(Verifier({}).is_decisive(pair.problem, off));
  EXPECT_FALSE(Verifier({.min_confidence = 0.0}).is_decisive(pair.problem, off))
      << "who accepts anything still gets the best answer";
}

}  // namespace
}  // namespace pointpng
