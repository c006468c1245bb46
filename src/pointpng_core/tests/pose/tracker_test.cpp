#include "pointpng/tracker.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/rows.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"
#include "pose/test_objects.h"

namespace pointpng {
namespace {

using State = TrackedFrame::State;

/// A chair that rotates by `step` degrees per cloud and drifts, resampled each time.
class TrackerTest : public ::testing::Test {
 protected:
  Cloud sample(int frame) const {
    return procedural_shape(21, 0, 12000).points.middleRows(1000 * (frame % 12), 1000);
  }
  static Eigen::Isometry3d pose(int frame, double step_deg = 6.0) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = Eigen::AngleAxisd(frame * step_deg * kRadiansPerDegree,
                                      Eigen::Vector3d(1, 2, 3).normalized())
                        .toRotationMatrix();
    pose.translation() << 0.02 * frame, -0.01 * frame, 0.0;
    return pose;
  }
  Tracker tracker() const { return Tracker(untrained_registration()); }
};

TEST_F(TrackerTest, FollowsATurningObjectToAReference) {
  Tracker follower = tracker();
  follower.set_reference(sample(11), "model");
  for (int frame = 0; frame < 8; ++frame) {
    const TrackedFrame found = follower.add(transformed(sample(frame), pose(frame)), "cloud");
    ASSERT_NE(found.state, State::kLost) << found.alignment.rejection_reason;
    EXPECT_LT(turn_between(found.reference_from_cloud, pose(frame).inverse()), 3.0);
    if (frame == 0) continue;
    EXPECT_EQ(found.state, State::kTracked) << frame;
    EXPECT_EQ(found.alignment.times_ms.embed, 0.0) << "an embedding that nothing needs";
  }
}

TEST_F(TrackerTest, TheFirstCloudIsTheReferenceWhereNoneIsGiven) {
  Tracker follower = tracker();
  EXPECT_EQ(follower.add(sample(0), "first").state, State::kReference);
  const TrackedFrame second = follower.add(transformed(sample(1), pose(1)), "second");
  EXPECT_EQ(second.state, State::kTracked);
  EXPECT_LT(turn_between(second.reference_from_cloud, pose(1).inverse()), 3.0);
}

TEST_F(TrackerTest, LosesTheTrackOnAnotherObjectAndFindsItAgain) {
  Tracker follower = tracker();
  follower.set_reference(sample(11), "model");
  ASSERT_NE(follower.add(sample(0), "0").state, State::kLost);
  EXPECT_EQ(follower.add(sphere(1000, 3), "something else").state, State::kLost);
  // It was rotated too far for tracking: only global registration can find it.
  const Eigen::Isometry3d far = pose(1, 140.0);
  const TrackedFrame again = follower.add(transformed(sample(2), far), "back");
  EXPECT_EQ(again.state, State::kSearched);
  EXPECT_LT(turn_between(again.reference_from_cloud, far.inverse()), 3.0);
}

TEST_F(TrackerTest, AGuessFarFromTheTruthIsNoAnswer) {
  const Registration registration = untrained_registration();
  const PreparedCloud source = registration.prepare(sample(0), "source"),
                      target = registration.prepare(sample(1), "target");
  for (const double turn : {70.0, 110.0, 150.0}) {
    const Alignment near = registration.align_from(source, target, pose(1, turn));
    EXPECT_FALSE(near.accepted) << turn;
    EXPECT_FALSE(near.rejection_reason.empty());
  }
  EXPECT_TRUE(registration.align_from(source, target, pose(1, 10.0)).accepted);
}

TEST_F(TrackerTest, AfterAJumpTheFirstCloudIsSearched) {
  Tracker follower = tracker();
  follower.add(sample(0), "0");
  const TrackedFrame found = follower.add(transformed(sample(1), pose(1, 120.0)), "1");
  EXPECT_EQ(found.state, State::kSearched);
  EXPECT_LT(turn_between(found.reference_from_cloud, pose(1, 120.0).inverse()), 3.0);
}

/// What a camera sees of an object that rotates in front of it.
Cloud seen_by_camera(const Cloud& whole, const Eigen::Isometry3d& pose, int frame) {
  Random random({7, static_cast<std::uint64_t>(frame)});
  return visible_from(transformed(random_subset(whole, 6000, random), pose),
                      Eigen::Vector3f(0, 0, -3));
}

TEST_F(TrackerTest, GoesAroundAnObjectFromKeyframeToKeyframe) {
  Tracker follower = tracker();
  const Cloud whole = procedural_shape(0, 0, 24000).points;
  int keyframes = 0;
  for (int frame = 0; frame < 90; ++frame) {
    const Eigen::Isometry3d turned = pose(frame, 4.0);
    const TrackedFrame found = follower.add(seen_by_camera(whole, turned, frame), "view");
    ASSERT_NE(found.state, State::kLost) << frame << ": " << found.alignment.rejection_reason;
    EXPECT_NE(found.state, State::kSearched) << frame;
    EXPECT_LT(turn_between(found.reference_from_cloud, turned.inverse()), 5.0) << frame;
    keyframes += found.new_keyframe ? 1 : 0;
  }
  EXPECT_GE(keyframes, 3) << "the far side is not seen from the first keyframe";
  EXPECT_LE(keyframes, 45);
}

TEST_F(TrackerTest, AllSidesOfAReferenceAreFollowedWithoutASearch) {
  for (const std::uint64_t object : {0, 1, 2}) {
    Tracker follower = tracker();
    const Cloud whole = procedural_shape(0, object, 24000).points;
    follower.set_reference(whole.topRows(4096), "model");
    for (int frame = 0; frame < 90; ++frame) {
      const Eigen::Isometry3d turned = pose(frame, 4.0);
      const TrackedFrame found = follower.add(seen_by_camera(whole, turned, frame), "view");
      ASSERT_EQ(found.state, frame == 0 ? State::kSearched : State::kTracked)
          << object << ", " << frame << ": " << found.alignment.rejection_reason;
      EXPECT_LT(turn_between(found.reference_from_cloud, turned.inverse()), 5.0) << frame;
    }
  }
}

/// A brick, symmetric under a rotation by 180°, with a knob that breaks the symmetry.
Cloud brick(Eigen::Index points, double share_of_knob, std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i) {
    const bool on_knob = random.uniform() < share_of_knob;
    const Eigen::Array3f half =
        on_knob ? Eigen::Array3f(0.15F, 0.15F, 0.15F) : Eigen::Array3f(1.0F, 0.5F, 0.3F);
    Eigen::Array3f place(random.uniform(-1.0F, 1.0F), random.uniform(-1.0F, 1.0F),
                         random.uniform(-1.0F, 1.0F));
    place[random.below(3)] = random.uniform() < 0.5F ? -1.0F : 1.0F;
    place *= half;
    if (on_knob) place += Eigen::Array3f(0.7F, 0.2F, 0.45F);
    cloud.row(i) = place.matrix().transpose();
  }
  return cloud;
}

TEST_F(TrackerTest, AWrongPoseIsNotFollowedForEver) {
  constexpr double kKnob = 0.25;
  const auto wrong_after = [&](const Eigen::Isometry3d& start, int second_look) {
    TrackerConfig config;
    config.second_look = second_look;
    Tracker follower(untrained_registration(), config);
    follower.set_reference(brick(1000, kKnob, 1), "model");
    follower.add(transformed(brick(1000, 0.0, 2), start), "without its knob");
    TrackedFrame last;
    for (int frame = 1; frame <= 8; ++frame) {
      last = follower.add(transformed(brick(1000, kKnob, 2 + frame), pose(frame, 1.0) * start),
                          "cloud");
      follower.look_again();
    }
    return last.state == State::kLost ||
           turn_between(last.reference_from_cloud, (pose(8, 1.0) * start).inverse()) > 5.0;
  };
  int followed = 0, corrected = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random({seed, 9});
    const Eigen::Isometry3d start = random_motion(random);
    if (!wrong_after(start, 0)) continue;
    ++followed;
    corrected += wrong_after(start, 3) ? 0 : 1;
  }
  EXPECT_GT(followed, 0) << "the test shows nothing";
  EXPECT_EQ(corrected, followed);
}

TEST_F(TrackerTest, AnUnusableCloudChangesNothing) {
  Tracker follower = tracker();
  follower.add(sample(0), "0");
  EXPECT_THROW(follower.add(Cloud(0, 3), "empty"), InputError);
  EXPECT_EQ(follower.add(transformed(sample(1), pose(1)), "1").state, State::kTracked);
}

TEST_F(TrackerTest, WritesTrajectoriesAsTumDoes) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() << 1, 2, 3;
  EXPECT_EQ(tum_line(0.5, pose), "0.500000000 1 2 3 0 0 0 1\n");
}

}  // namespace
}  // namespace pointpng
