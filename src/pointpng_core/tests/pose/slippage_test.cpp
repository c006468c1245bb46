#include "pose/slippage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pose/test_problems.h"
#include "pose/test_scenes.h"
#include "pose/verify.h"

namespace pointpng {
namespace {

/// What is seen of a corridor along x from two places; with furniture at the walls, or without.
TestProblem corridor(bool furnished) {
  std::vector<Body> bodies = {{{{{-40.0F, -1.2F, 0.0F}, {40.0F, 1.2F, 2.5F}}}}};
  if (furnished)
    bodies.push_back({{{{0.4F, 0.5F, 0.0F}, {1.4F, 1.2F, 1.9F}},
                       {{-2.5F, 0.7F, 0.0F}, {-1.8F, 1.2F, 1.1F}},
                       {{2.3F, -1.2F, 0.0F}, {2.9F, -0.6F, 2.2F}},
                       {{-0.9F, -1.2F, 0.0F}, {-0.5F, -0.8F, 0.8F}}}});
  const auto seen_from = [&](float x, std::uint64_t seed) {
    const Cloud seen = scan(bodies, {x, 0.1F, 1.2F}, {x + 1.0F, 0.1F, 1.2F}, 180.0F, 12000, seed);
    return part_of(seen, [&](Eigen::Index i) { return std::abs(seen(i, 0) - x) < 4.0F; });
  };
  return {seen_from(0.0F, 1), seen_from(0.6F, 2), Eigen::Isometry3d::Identity()};
}

Alignment concluded(const TestProblem& pair) {
  Candidate candidate;
  candidate.pose = pair.truth;
  candidate.fit = pair.problem.measure(pair.truth, pair.problem.num_points);
  return Verifier({}).conclude(pair.problem, {candidate}, /*searched=*/true);
}

TEST(SlippageTest, ACorridorIsFreeAlongItsAxis) {
  const Alignment found = concluded(corridor(false));
  EXPECT_FALSE(found.accepted);
  EXPECT_THAT(found.rejection_reason, testing::StartsWith("the pose is free along ("));
  EXPECT_GT(found.evidence.sliding, 0.95);
  EXPECT_GT(std::abs(found.evidence.sliding_direction.x()), 0.98);

  const Eigen::Isometry3d turn(Eigen::AngleAxisd(0.5 * std::numbers::pi, Eigen::Vector3d::UnitZ()));
  EXPECT_GT(std::abs(found.in_frame(turn).evidence.sliding_direction.y()), 0.98);
}

TEST(SlippageTest, FurnitureHoldsIt) {
  const Alignment found = concluded(corridor(true));
  EXPECT_LT(found.evidence.sliding, kSlippage.free);
  EXPECT_THAT(found.rejection_reason, testing::Not(testing::HasSubstr("free along")));
}

TEST(SlippageTest, AModelFarFromTheMiddleOfASceneDoesNotSlide) {
  const Eigen::Isometry3f far = placed(9.0F, 4.0F, 70.0F);
  const Cloud model = sampled(boxy_chair(), 3000, 1);
  Cloud scene(6000, 3);
  scene << transformed(sampled(boxy_chair(), 3000, 2), far.cast<double>()),
      sampled({{{-10.0F, -6.0F, -0.1F}, {10.0F, 6.0F, 0.0F}}}, 3000, 3);
  const TestProblem pair(model, scene, far.cast<double>());
  EXPECT_EQ(slippage_of(pair.problem, pair.truth, information_at(pair.problem, pair.truth))
                .unconstrained_dof,
            0);
}

}  // namespace
}  // namespace pointpng
