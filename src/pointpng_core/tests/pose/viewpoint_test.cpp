#include <algorithm>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pose/confidence.h"
#include "pose/refine.h"
#include "pose/test_problems.h"
#include "pose/test_scenes.h"
#include "pose/verify.h"
#include "pose/visibility.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

/// Two clouds with the places of their sensors, prepared.
struct SeenPair {
  SeenPair(const Cloud& source_cloud, const CloudOptions& of_source, const Cloud& target_cloud,
           const CloudOptions& of_target, const Eigen::Isometry3d& target_from_source)
      : source(prepare_cloud(source_cloud, 1024, "source", of_source)),
        target(prepare_cloud(target_cloud, 1024, "target", of_target)),
        problem(*source, *target),
        truth(problem.centred(target_from_source)) {}

  std::shared_ptr<const PreparedCloudData> source, target;
  RegistrationProblem problem;
  RigidTransform truth;
};

/// A whole object, and what is seen of it from one side.
SeenPair one_sided(std::uint64_t seed) {
  Random random({seed, 71});
  const Cloud both = procedural_shape(seed, static_cast<int>(seed % 8), 6000).points;
  const Eigen::Isometry3d motion = random_motion(random);
  const Eigen::Vector3f viewpoint = 3.0F * random.direction();
  const Cloud view = visible_from(both.bottomRows(4000), viewpoint);
  return {both.topRows(1500),
          {},
          transformed(view, motion),
          {.viewpoint = motion * viewpoint.cast<double>()},
          motion};
}

/// Two scans of a room from two places.
SeenPair two_scans(std::uint64_t seed) {
  Random random({seed, 72});
  const std::vector<Body> room = furnished_room(seed);
  const auto place = [&] {
    return Eigen::Vector3f(random.uniform(-1.5F, 1.5F), random.uniform(-0.6F, 0.6F), 1.2F);
  };
  const Eigen::Vector3f here = place(), there = place();
  const Eigen::Isometry3d motion = random_motion(random);
  return {
      scan(room, here, here + random.direction(), 180.0F, 8000, seed),
      {.viewpoint = here.cast<double>()},
      transformed(scan(room, there, there + random.direction(), 180.0F, 8000, seed + 500), motion),
      {.viewpoint = motion * there.cast<double>()},
      motion};
}

/// A chair in a furnished room, seen by a depth camera.
SeenPair chair_in_a_room(std::uint64_t seed) {
  Random random({seed, 73});
  std::vector<Body> room = furnished_room(seed);
  const Eigen::Isometry3f pose = placed(random.uniform(-0.8F, 0.8F), random.uniform(-0.4F, 0.4F),
                                        random.uniform(0.0F, 360.0F));
  room.push_back({boxy_chair(), pose});
  const Eigen::Vector3f viewpoint(-2.0F, random.uniform(-0.5F, 0.5F), 1.5F);
  return {sampled(boxy_chair(), 3000, seed),
          {},
          scan(room, viewpoint, pose.translation() + Eigen::Vector3f(0.0F, 0.0F, 0.4F), 25.0F,
               12000, seed),
          {.viewpoint = viewpoint.cast<double>()},
          Eigen::Isometry3d(pose.cast<double>())};
}

/// The best wrong pose that refinement from many places comes to: what the truth must be told from.
std::optional<Candidate> best_wrong(const SeenPair& pair, std::uint64_t seed) {
  Random random({seed, 74});
  Candidates candidates;
  for (int i = 0; i < 60; ++i) {
    Candidate candidate;
    const Eigen::Vector4f q = random.quaternion();
    candidate.pose.rotation =
        Eigen::Quaternionf(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    const Eigen::Index at = random.below(pair.target->points.rows());
    if (i % 2 == 1) candidate.pose.translation = 0.7F * pair.target->points.row(at).transpose();
    candidates.push_back(candidate);
  }
  CoarseRefiner().refine(pair.problem, candidates);
  Candidate truth;
  truth.pose = pair.truth;
  truth.fit = pair.problem.measure(pair.truth, pair.problem.num_points);
  for (Candidate& candidate : candidates) {
    const bool is_right =
        degrees_between(candidate.pose, pair.truth) < 15.0F &&
        (candidate.pose.translation - pair.truth.translation).norm() < 0.15F * pair.problem.radius;
    if (is_right || is_symmetric(pair.problem, truth, candidate)) continue;
    candidate.fit = pair.problem.measure(candidate.pose, pair.problem.num_points);
    return candidate;
  }
  return std::nullopt;
}

/// How often the contradiction of a wrong pose is larger than that of a right one (area under the
/// ROC curve), over all pairs of both kinds.
struct Separation {
  std::vector<float> right, wrong;

  double auc() const {
    double sum = 0.0;
    for (const float r : right)
      for (const float w : wrong) sum += w > r ? 1.0 : w == r ? 0.5 : 0.0;
    return sum / (static_cast<double>(right.size()) * static_cast<double>(wrong.size()));
  }
  static float quantile(std::vector<float> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  }
};

template <typename Make>
Separation separate(Make make, std::uint64_t count) {
  Separation result;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const SeenPair pair = make(seed);
    result.right.push_back(pair.problem.measure(pair.truth, pair.problem.num_points).contradiction);
    if (const auto wrong = best_wrong(pair, seed)) result.wrong.push_back(wrong->fit.contradiction);
  }
  std::printf("AUC %.3f; right: median %.3f, 95 %% %.3f; wrong: 5 %% %.3f, median %.3f\n",
              result.auc(), Separation::quantile(result.right, 0.5),
              Separation::quantile(result.right, 0.95), Separation::quantile(result.wrong, 0.05),
              Separation::quantile(result.wrong, 0.5));
  return result;
}

TEST(ViewpointTest, RefutesWrongPosesOfAnObjectSeenFromOneSide) {
  const Separation found = separate(one_sided, 48);
  EXPECT_GT(found.auc(), 0.8);  // without a background little space is known to be free
  EXPECT_LT(Separation::quantile(found.right, 0.95), kVisibility.tolerated);
}

TEST(ViewpointTest, RefutesWrongPosesOfTwoScans) {
  const Separation found = separate(two_scans, 24);
  EXPECT_GT(found.auc(), 0.9);
  EXPECT_LT(Separation::quantile(found.right, 0.95), kVisibility.tolerated);
}

TEST(ViewpointTest, RefutesWrongPosesOfAModelInAScene) {
  const Separation found = separate(chair_in_a_room, 24);
  EXPECT_GT(found.auc(), 0.7);
  EXPECT_LT(Separation::quantile(found.right, 0.95), kVisibility.tolerated);
}

TEST(ViewpointTest, TheHiddenSideIsNotExpected) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SeenPair pair = one_sided(seed);
    const float expected =
        expected_overlap(*pair.source, *pair.target, pair.truth, pair.problem.inlier_distance);
    const Fit fit = pair.problem.measure(pair.truth, pair.problem.num_points);
    EXPECT_LT(expected, 0.8F) << seed;
    EXPECT_GT(expected, 0.15F) << seed;
    EXPECT_NEAR(expected, fit.source_overlap, 0.35F) << seed;
    EXPECT_EQ(expected_overlap(*pair.target, *pair.source, pair.truth.inverse(),
                               pair.problem.inlier_distance),
              1.0F)
        << "of the other sensor nothing is known";
  }
}

TEST(ViewpointTest, WithoutItNothingChanges) {
  const TestProblem pair(3);
  EXPECT_EQ(pair.problem.measure(nudged(pair.truth, 90.0F, 0.3F), 1000).contradiction, 0.0F);
}

TEST(ViewpointTest, AContradictionLowersTheConfidenceAndIsNamed) {
  Evidence evidence;
  evidence.score = evidence.margin = 0.6;
  evidence.source_overlap = evidence.target_overlap = 0.98;
  const double before = confidence_of(evidence);
  evidence.contradiction = 0.005;
  EXPECT_EQ(confidence_of(evidence), before) << "a stray point says nothing";
  evidence.contradiction = 0.3;
  EXPECT_LT(confidence_of(evidence), 0.5);
  EXPECT_THAT(rejection_reason(evidence, 0.3, 0.9),
              HasSubstr("30 % of a cloud would stand in front of what the other's sensor saw"));
}

TEST(ViewpointTest, RanksTheRightPoseFirst) {
  int right = 0, right_without = 0;
  constexpr int kPairs = 16;
  const Registration registration = untrained_registration();
  for (std::uint64_t seed = 0; seed < kPairs; ++seed) {
    Random random({seed, 75});
    const Cloud both = procedural_shape(seed, 0, 6000).points;
    const Eigen::Isometry3d motion = random_motion(random);
    const Eigen::Vector3f viewpoint = 3.0F * random.direction();
    const Cloud source = both.topRows(1500),
                target = transformed(visible_from(both.bottomRows(4000), viewpoint), motion);
    const auto is_right = [&](const Alignment& found) {
      return turn_between(found.target_from_source, motion) < 5.0 ? 1 : 0;
    };
    right += is_right(
        registration.align(source, target, {}, {.viewpoint = motion * viewpoint.cast<double>()}));
    right_without += is_right(registration.align(source, target));
  }
  std::printf("right with viewpoint %d, without %d of %d\n", right, right_without, kPairs);
  EXPECT_GE(right, right_without);
  EXPECT_GE(right, kPairs * 3 / 4);
}

TEST(ViewpointTest, AViewpointMustBeFinite) {
  const Cloud cloud = chair_pair(1).source;
  EXPECT_THROW(
      prepare_cloud(cloud, 1024, "scan", {.viewpoint = Eigen::Vector3d(0.0, std::nan(""), 0.0)}),
      InputError);
}

}  // namespace
}  // namespace pointpng
