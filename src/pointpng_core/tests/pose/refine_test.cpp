#include "pose/refine.h"

#include <gtest/gtest.h>

#include "pose/icp.h"
#include "pose/test_problems.h"

namespace pointpng {
namespace {

TEST(IcpTest, ConvergesFromFifteenDegreesAway) {
  int converged = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TestProblem pair(seed);
    IcpSchedule schedule;
    schedule.first_kernel_scale = 0.15F * pair.source->radius;
    schedule.last_kernel_scale = pair.problem.spacing;
    const RigidTransform found = icp(pair.problem, nudged(pair.truth, 15.0F, 0.05F), schedule);
    converged += degrees_between(found, pair.truth) < 2.0F ? 1 : 0;
  }
  EXPECT_GE(converged, 9);
}

TEST(IcpTest, LeavesAPoseAloneThatTouchesNothing) {
  const TestProblem pair(1);
  IcpSchedule schedule;
  schedule.first_kernel_scale = 0.2F;
  schedule.last_kernel_scale = 0.05F;
  const RigidTransform far = nudged(pair.truth, 0.0F, 100.0F);
  EXPECT_EQ(icp(pair.problem, far, schedule).translation, far.translation);
}

TEST(TrimmedIcpTest, EveryMethodImprovesASmallError) {
  for (const Refinement method :
       {Refinement::kPointToPoint, Refinement::kPointToPlane, Refinement::kGicp}) {
    const TestProblem pair(5);
    const RigidTransform found =
        trimmed_icp(pair.problem, nudged(pair.truth, 3.0F, 0.01F), method, 1.0F);
    EXPECT_LT(degrees_between(found, pair.truth), 1.5F) << to_string(method);
    EXPECT_LT((found.translation - pair.truth.translation).norm(), 0.02F) << to_string(method);
  }
}

Candidate at(const RigidTransform& pose) {
  Candidate candidate;
  candidate.pose = pose;
  return candidate;
}

TEST(SortDistinctTest, PosesAFewDegreesApartAreOneHypothesisHoweverLargeTheCloud) {
  for (const float scale : {1.0F, 100.0F}) {
    TestPair clouds = chair_pair(3);
    clouds.source *= scale;
    clouds.target *= scale;
    clouds.target_from_source.translation() *= scale;
    const TestProblem pair(clouds);
    Candidates candidates = {at(pair.truth), at(nudged(pair.truth, 3.0F, 0.0F)),
                             at(nudged(pair.truth, 30.0F, 0.0F))};
    score_all(pair.problem, candidates);
    EXPECT_EQ(candidates.size(), 2U) << scale;
  }
}

TEST(CoarseRefinerTest, OneOfManyHypothesesNearTheTruthWins) {
  const TestProblem pair(4);
  Random random({3});
  Candidates candidates;
  for (int i = 0; i < 40; ++i)
    candidates.push_back(at(pair.problem.centred(random_motion(random))));
  candidates.push_back(at(nudged(pair.truth, 12.0F, 0.03F)));
  CoarseRefiner().refine(pair.problem, candidates);
  EXPECT_LT(degrees_between(candidates.front().pose, pair.truth), 2.0F);
  EXPECT_LE(candidates.size(), kRefinement.promising);
  for (std::size_t k = 1; k < candidates.size(); ++k)
    EXPECT_LE(candidates[k].fit.score, candidates[k - 1].fit.score);
}

TEST(FineRefinerTest, HypothesesThatRefineToOnePoseAreOne) {
  const TestProblem pair(4);
  Candidates candidates = {at(pair.truth), at(nudged(pair.truth, 11.0F, 0.0F)),
                           at(nudged(pair.truth, -11.0F, 0.0F))};
  CoarseRefiner().refine(pair.problem, candidates);
  FineRefiner(Refinement::kPointToPlane).refine(pair.problem, candidates);
  EXPECT_EQ(candidates.size(), 1U);
}

}  // namespace
}  // namespace pointpng
