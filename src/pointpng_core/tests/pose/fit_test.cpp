#include "pose/fit.h"

#include <gtest/gtest.h>

#include "pose/nearest_field.h"
#include "pose/point_pairs.h"
#include "pose/refine.h"
#include "pose/test_objects.h"
#include "pose/translation.h"

namespace pointpng {
namespace {

/// A pair as scans, with the truth between their centred points.
struct ScanPair {
  Scan source, target;
  Placement truth;
};

ScanPair scan_pair(std::uint64_t seed) {
  const TestPair pair = chair_pair(seed);
  ScanPair scans{
      clean_scan(pair.source, 1024, "source"), clean_scan(pair.target, 1024, "target"), {}};
  scans.truth.rotation = pair.target_from_source.linear().cast<float>();
  scans.truth.translation =
      (pair.target_from_source * scans.source.centre - scans.target.centre).cast<float>();
  return scans;
}

float degrees_between(const Placement& a, const Placement& b) {
  return angle_between(a, b) * 180.0F / std::numbers::pi_v<float>;
}

Placement nudged(const Placement& placement, float degrees, float shift) {
  const Eigen::AngleAxisf turn(degrees * std::numbers::pi_v<float> / 180.0F,
                               Eigen::Vector3f(1, 2, -1).normalized());
  return {turn.toRotationMatrix() * placement.rotation,
          placement.translation + Eigen::Vector3f(shift, -shift, shift)};
}

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
    // Off by no more than the diagonal of the cell that answers; coarse cells know some points
    // only.
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

TEST(ScanTest, TheNearestRowIsNearlyAlwaysTheNearest) {
  const Scan scan = clean_scan(chair_pair(1).source, 1024, "chair");
  Random random({6});
  constexpr int kPlaces = 2000;
  int exact = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const Eigen::Vector3f place = scan.points.row(random.below(scan.points.rows())).transpose() +
                                  0.7F * scan.spacing * random.direction();
    Eigen::Index nearest = 0;
    (scan.points.rowwise() - place.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
    exact += nearest_row(scan, place) == nearest ? 1 : 0;
  }
  EXPECT_GE(exact, 0.98 * kPlaces);
  EXPECT_EQ(nearest_row(scan, Eigen::Vector3f::Constant(1e6F)), -1);
}

TEST(FitTest, IsBestAtTheTruthAndFallsAwayFromIt) {
  const ScanPair pair = scan_pair(2);
  const float tolerance = 1.5F * common_spacing(pair.source, pair.target);
  const auto score = [&](const Placement& placement) {
    return measure_fit(pair.source, pair.target, placement, 2000, tolerance).score;
  };
  const float best = score(pair.truth);
  EXPECT_GT(best, score(nudged(pair.truth, 4.0F, 0.0F)));
  EXPECT_GT(score(nudged(pair.truth, 4.0F, 0.0F)), score(nudged(pair.truth, 20.0F, 0.0F)));
  EXPECT_GT(best, score(nudged(pair.truth, 0.0F, 0.05F)));
  const Fit far =
      measure_fit(pair.source, pair.target, nudged(pair.truth, 0.0F, 50.0F), 2000, tolerance);
  EXPECT_EQ(far.score, 0.0F);
  EXPECT_EQ(far.source_overlap, 0.0F);
}

TEST(FitTest, CountsWhatOverlaps) {
  ScanPair pair = scan_pair(3);
  const float tolerance = 1.5F * common_spacing(pair.source, pair.target);
  const Fit whole = measure_fit(pair.source, pair.target, pair.truth, 2000, tolerance);
  EXPECT_GT(whole.source_overlap, 0.95F);
  EXPECT_GT(whole.target_overlap, 0.95F);
  // Half of the target is gone: the rest of it is still covered, half of the source is not.
  const TestPair full = chair_pair(3);
  const Eigen::VectorXf height = full.target.col(2);
  std::vector<float> sorted(height.begin(), height.end());
  std::nth_element(sorted.begin(), sorted.begin() + 500, sorted.end());
  Cloud lower(0, 3);
  for (Eigen::Index i = 0; i < full.target.rows(); ++i)
    if (height[i] < sorted[500]) {
      lower.conservativeResize(lower.rows() + 1, 3);
      lower.row(lower.rows() - 1) = full.target.row(i);
    }
  const Scan half = clean_scan(lower, 1024, "half");
  Placement truth;
  truth.rotation = full.target_from_source.linear().cast<float>();
  truth.translation = (full.target_from_source * pair.source.centre - half.centre).cast<float>();
  const Fit cut = measure_fit(pair.source, half, truth, 2000, tolerance);
  EXPECT_GT(cut.target_overlap, 0.95F);
  EXPECT_NEAR(cut.source_overlap, 0.55F, 0.1F);
}

TEST(SettleTest, ComesBackToTheTruthFromFifteenDegreesAway) {
  int settled = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ScanPair pair = scan_pair(seed);
    SettleSchedule schedule;
    schedule.first_reach = 0.15F * pair.source.radius;
    schedule.last_reach = common_spacing(pair.source, pair.target);
    const Placement found =
        settle(pair.source, pair.target, nudged(pair.truth, 15.0F, 0.05F), schedule);
    settled += degrees_between(found, pair.truth) < 2.0F ? 1 : 0;
  }
  EXPECT_GE(settled, 9);
}

TEST(SettleTest, LeavesAPlacementAloneThatTouchesNothing) {
  const ScanPair pair = scan_pair(1);
  SettleSchedule schedule;
  schedule.first_reach = 0.2F;
  schedule.last_reach = 0.05F;
  const Placement far = nudged(pair.truth, 0.0F, 100.0F);
  EXPECT_EQ(settle(pair.source, pair.target, far, schedule).translation, far.translation);
}

TEST(TranslationTest, FindsTheShiftOfAPartWhereCentroidsMislead) {
  const TestPair full = chair_pair(4, 2000);
  // The target is only what lies on one side of its centroid.
  Cloud part(0, 3);
  const Eigen::RowVector3f centre = full.target.colwise().mean();
  for (Eigen::Index i = 0; i < full.target.rows(); ++i)
    if (full.target(i, 0) > centre[0]) {
      part.conservativeResize(part.rows() + 1, 3);
      part.row(part.rows() - 1) = full.target.row(i);
    }
  const Scan source = clean_scan(full.source, 1024, "source"),
             target = clean_scan(part, 1024, "part");
  const Eigen::Matrix3f rotation = full.target_from_source.linear().cast<float>();
  const Eigen::Vector3f truth =
      (full.target_from_source * source.centre - target.centre).cast<float>();
  const auto shifts = voted_translations(rotation, source, target, 2);
  ASSERT_EQ(shifts.size(), 2U);
  EXPECT_GT(truth.norm(), 0.2F) << "the pair is no test";
  EXPECT_LT(std::min((shifts[0] - truth).norm(), (shifts[1] - truth).norm()), 0.12F);
}

TEST(PointwiseFitTest, AddsUpToTheFit) {
  const ScanPair pair = scan_pair(3);
  const float tolerance = 1.5F * common_spacing(pair.source, pair.target);
  const Placement off = nudged(pair.truth, 6.0F, 0.02F);
  const PointwiseFit points = pointwise_fit(pair.source, pair.target, off, tolerance);
  const Fit fit = measure_fit(pair.source, pair.target, off, 4096, tolerance);
  const auto mean = [](const auto& values) {
    float sum = 0.0F;
    for (const auto value : values) sum += static_cast<float>(value);
    return sum / static_cast<float>(values.size());
  };
  EXPECT_NEAR(0.5F * (mean(points.source_worth) + mean(points.target_worth)), fit.score, 1e-4F);
  EXPECT_NEAR(mean(points.source_touches), fit.source_overlap, 1e-4F);
  EXPECT_NEAR(mean(points.target_touches), fit.target_overlap, 1e-4F);
}

TEST(PreferenceTest, PointsPreferTheTruthAndNothingToItself) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const ScanPair pair = scan_pair(seed);
    const float tolerance = 1.5F * common_spacing(pair.source, pair.target);
    const auto at = [&](const Placement& placement) {
      return pointwise_fit(pair.source, pair.target, placement, tolerance);
    };
    const PointwiseFit truth = at(pair.truth), wrong = at(nudged(pair.truth, 40.0F, 0.0F));
    EXPECT_EQ(preference(truth, truth), 0.0F);
    EXPECT_GT(preference(truth, wrong), 5.0F);
    EXPECT_FLOAT_EQ(preference(wrong, truth), -preference(truth, wrong));
    EXPECT_LT(raggedness(pair.source, pair.target, truth),
              0.5F * raggedness(pair.source, pair.target, wrong));
  }
}

TEST(PointPairsTest, ProposeAPlacementNearTheTruth) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const ScanPair pair = scan_pair(seed);
    const auto placements = match_point_pairs(pair.source, pair.target, {});
    float nearest = 180.0F;
    for (const Placement& placement : placements)
      nearest = std::min(nearest, degrees_between(placement, pair.truth));
    EXPECT_LT(nearest, 15.0F) << "seed " << seed;
  }
}

TEST(PointPairsTest, SayNothingAboutAPlane) {
  const Scan plane = clean_scan(flat_square(500, 1), 1024, "plane");
  // Pairs on one plane fit anywhere on it, so none is looked up.
  EXPECT_TRUE(match_point_pairs(plane, plane, {}).empty());
}

TEST(RefinerTest, EveryMethodImprovesASmallError) {
  for (const char* method : {"icp", "plane", "gicp"}) {
    const ScanPair pair = scan_pair(5);
    const Refiner refiner(method, pair.source, pair.target);
    const Placement start = nudged(pair.truth, 3.0F, 0.01F);
    const Placement found = refiner(start, 1.0F);
    EXPECT_LT(degrees_between(found, pair.truth), 1.5F) << method;
    EXPECT_LT((found.translation - pair.truth.translation).norm(), 0.02F) << method;
  }
}

}  // namespace
}  // namespace pointpng
