#include "pose/fit.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pose/nearest_field.h"
#include "pose/test_problems.h"

namespace pointpng {
namespace {

TEST(NearestFieldTest, AnswersNearlyAsBruteForceNearThePoints) {
  const Cloud points = chair_pair(1).source;
  const float spacing = 0.06F, reach = 0.4F;
  const NearestField field(points, spacing, reach);
  Random random({5});
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector3f place =
        points.row(random.below(points.rows())).transpose() + 0.1F * random.direction();
    const float exact = (points.rowwise() - place.transpose()).rowwise().norm().minCoeff();
    const int found = field.nearest(place);
    ASSERT_GE(found, 0);
    const float distance = (points.row(found).transpose() - place).norm();
    // The error is at most the diagonal of the cell; coarse cells hold only some of the points.
    const float off = exact < spacing ? 1.8F * spacing : 1.8F * reach / 5.0F + 2.0F * spacing;
    EXPECT_LE(distance, exact + off);
  }
}

TEST(NearestFieldTest, KnowsNothingBeyondItsReach) {
  const NearestField field(chair_pair(1).source, 0.06F, 0.3F);
  EXPECT_EQ(field.nearest(Eigen::Vector3f(10, 0, 0)), -1);
  EXPECT_EQ(field.nearest(Eigen::Vector3f(-1e30F, 0, 0)), -1);
  EXPECT_EQ(field.nearest(Eigen::Vector3f::Constant(std::nanf(""))), -1);
}

TEST(FitTest, IsBestAtTheTruthAndFallsAwayFromIt) {
  const TestProblem pair(2);
  const auto score = [&](const RigidTransform& pose) {
    return pair.problem.measure(pose, 2000).score;
  };
  const float best = score(pair.truth);
  EXPECT_GT(best, score(nudged(pair.truth, 4.0F, 0.0F)));
  EXPECT_GT(score(nudged(pair.truth, 4.0F, 0.0F)), score(nudged(pair.truth, 20.0F, 0.0F)));
  EXPECT_GT(best, score(nudged(pair.truth, 0.0F, 0.05F)));
  const Fit far = pair.problem.measure(nudged(pair.truth, 0.0F, 50.0F), 2000);
  EXPECT_EQ(far.score, 0.0F);
  EXPECT_EQ(far.source_overlap, 0.0F);
}

TEST(FitTest, CountsWhatOverlaps) {
  const TestPair full = chair_pair(3);
  const TestProblem whole(full);
  const Fit fit = whole.problem.measure(whole.truth, 2000);
  EXPECT_GT(fit.source_overlap, 0.95F);
  EXPECT_GT(fit.target_overlap, 0.95F);
  // Half of the target is gone: the rest of it is still covered, half of the source is not.
  std::vector<float> heights(full.target.col(2).begin(), full.target.col(2).end());
  std::nth_element(heights.begin(), heights.begin() + 500, heights.end());
  const Cloud lower =
      part_of(full.target, [&](Eigen::Index i) { return full.target(i, 2) < heights[500]; });
  const TestProblem half(full.source, lower, full.target_from_source);
  const Fit cut = half.problem.measure(half.truth, 2000);
  EXPECT_GT(cut.target_overlap, 0.95F);
  EXPECT_NEAR(cut.source_overlap, 0.55F, 0.1F);
}

TEST(PointwiseFitTest, AddsUpToTheFit) {
  const TestProblem pair(3);
  const RigidTransform off = nudged(pair.truth, 6.0F, 0.02F);
  const PointwiseFit points =
      pointwise_fit(*pair.source, *pair.target, off, pair.problem.inlier_distance);
  const Fit fit = pair.problem.measure(off, 4096);
  const auto mean = [](const auto& values) {
    float sum = 0.0F;
    for (const auto value : values) sum += static_cast<float>(value);
    return sum / static_cast<float>(values.size());
  };
  EXPECT_NEAR(0.5F * (mean(points.source_score) + mean(points.target_score)), fit.score, 1e-4F);
  EXPECT_NEAR(mean(points.source_inlier), fit.source_overlap, 1e-4F);
  EXPECT_NEAR(mean(points.target_inlier), fit.target_overlap, 1e-4F);
}

TEST(PointwiseFitTest, PointsPreferTheTruthAndNothingToItself) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const TestProblem pair(seed);
    const auto at = [&](const RigidTransform& pose) {
      return pointwise_fit(*pair.source, *pair.target, pose, pair.problem.inlier_distance);
    };
    const PointwiseFit truth = at(pair.truth), wrong = at(nudged(pair.truth, 40.0F, 0.0F));
    EXPECT_EQ(separation(truth, truth), 0.0F);
    EXPECT_GT(separation(truth, wrong), 5.0F);
    EXPECT_FLOAT_EQ(separation(wrong, truth), -separation(truth, wrong));
    EXPECT_LT(fragmentation(*pair.source, *pair.target, truth),
              0.5F * fragmentation(*pair.source, *pair.target, wrong));
  }
}

}  // namespace
}  // namespace pointpng
