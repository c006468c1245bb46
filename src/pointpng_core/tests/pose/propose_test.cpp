#include "pose/propose.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pose/test_problems.h"

namespace pointpng {
namespace {

TEST(TranslationVotingProposerTest, FindsTheTranslationOfAPartWhereCentroidsMislead) {
  const TestPair full = chair_pair(4, 2000);
  // The target is only what lies on one side of its centroid.
  const float middle = full.target.col(0).mean();
  const TestProblem pair(
      full.source, part_of(full.target, [&](Eigen::Index i) { return full.target(i, 0) > middle; }),
      full.target_from_source);
  const std::vector<RotationHypothesis> rotations = {
      {Eigen::Quaterniond(full.target_from_source.linear()), 0.0}};
  const Candidates voted = TranslationVotingProposer(rotations).propose(pair.problem);
  ASSERT_EQ(voted.size(), static_cast<std::size_t>(kVoting.translations));
  EXPECT_GT(pair.truth.translation.norm(), 0.2F) << "the pair is no test";
  const auto error = [&](const Candidate& candidate) {
    return (candidate.pose.translation - pair.truth.translation).norm();
  };
  EXPECT_LT(std::min(error(voted[0]), error(voted[1])), 0.12F);
}

TEST(PointPairProposerTest, ProposesAPoseNearTheTruth) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TestProblem pair(seed);
    float nearest = 180.0F;
    for (const Candidate& candidate : PointPairProposer().propose(pair.problem)) {
      EXPECT_EQ(candidate.origin, Origin::kPointPairs);
      nearest = std::min(nearest, degrees_between(candidate.pose, pair.truth));
    }
    EXPECT_LT(nearest, 15.0F) << "seed " << seed;
  }
}

TEST(PointPairProposerTest, SaysNothingAboutAPlane) {
  const Cloud plane = flat_square(500, 1);
  // Pairs on one plane fit anywhere on it, so none is looked up.
  const TestProblem pair(plane, plane, Eigen::Isometry3d::Identity());
  EXPECT_TRUE(PointPairProposer().propose(pair.problem).empty());
}

/// Rank of the first candidate near the truth, 1 for the first; 0 where there is none.
int rank_of_truth(const TestProblem& pair, const Candidates& candidates) {
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (degrees_between(candidates[k].pose, pair.truth) < 15.0F &&
        (candidates[k].pose.translation - pair.truth.translation).norm() <
            0.2F * pair.problem.radius)
      return static_cast<int>(k) + 1;
  return 0;
}

TEST(PoseVotingProposerTest, ProposesAPoseNearTheTruthAmongTheFirst) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TestProblem pair(seed);
    const Candidates voted = PoseVotingProposer().propose(pair.problem);
    EXPECT_LE(voted.size(), kPoseVoting.proposed);
    const int rank = rank_of_truth(pair, voted);
    EXPECT_GT(rank, 0) << "seed " << seed;
    first += rank == 1 ? 1 : 0;
  }
  EXPECT_GE(first, 3);
}

TEST(PoseVotingProposerTest, DoesNotCareWhichCloudIsTheModel) {
  const TestPair clouds = chair_pair(3);
  const TestProblem pair(clouds),
      reverse(clouds.target, clouds.source, clouds.target_from_source.inverse());
  EXPECT_GT(rank_of_truth(pair, PoseVotingProposer().propose(pair.problem)), 0);
  EXPECT_GT(rank_of_truth(reverse, PoseVotingProposer().propose(reverse.problem)), 0);
}

TEST(PoseVotingProposerTest, FindsAModelOnAFloorManyTimesItsSize) {
  const TestPair clouds = chair_pair(5, 4000);
  const Cloud floor = flat_square(30000, 2) * 8.0F;
  Cloud scene(clouds.source.rows() + floor.rows(), 3);
  scene << clouds.source, floor;
  scene.topRows(clouds.source.rows()).col(2).array() += 1.0F;
  Eigen::Isometry3d raised = Eigen::Isometry3d::Identity();
  raised.translation().z() = 1.0;
  const TestProblem pair(clouds.target, scene, raised * clouds.target_from_source.inverse());
  // At the model's own resolution; the scene's has hardly a point on it.
  const float spacing = pair.source->spacing;
  const RegistrationProblem detailed(pair.source->at_spacing(spacing),
                                     pair.target->at_spacing(spacing));
  EXPECT_GT(rank_of_truth(pair, PoseVotingProposer().propose(detailed)), 0);
}

TEST(PoseVotingProposerTest, SaysNothingAboutAPlane) {
  const Cloud plane = flat_square(500, 1);
  const TestProblem pair(plane, plane, Eigen::Isometry3d::Identity());
  EXPECT_TRUE(PoseVotingProposer().propose(pair.problem).empty());
}

TEST(LocalMatchProposerTest, ProposesAPoseNearTheTruthOfHalfAnObject) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const TestPair full = chair_pair(seed, 2000);
    const float middle = full.target.col(0).mean();
    const TestProblem pair(
        full.source,
        part_of(full.target, [&](Eigen::Index i) { return full.target(i, 0) > middle; }),
        full.target_from_source);
    const Candidates matched = LocalMatchProposer().propose(pair.problem);
    EXPECT_GT(rank_of_truth(pair, matched), 0) << "seed " << seed;
    for (const Candidate& candidate : matched) EXPECT_TRUE(candidate.pose.is_finite());
  }
}

TEST(GuessProposerTest, ProposesTheGuessOrNothing) {
  const TestPair clouds = chair_pair(2);
  const TestProblem pair(clouds);
  const std::optional<Eigen::Isometry3d> none, guess = clouds.target_from_source;
  EXPECT_TRUE(GuessProposer(none).propose(pair.problem).empty());
  const Candidates proposed = GuessProposer(guess).propose(pair.problem);
  ASSERT_EQ(proposed.size(), 1U);
  EXPECT_EQ(proposed.front().origin, Origin::kInitialGuess);
  EXPECT_LT(degrees_between(proposed.front().pose, pair.truth), 0.01F);
}

}  // namespace
}  // namespace pointpng
