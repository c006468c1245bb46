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
