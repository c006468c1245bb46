#include "pose/gravity.h"

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pose/test_problems.h"
#include "pose/test_scenes.h"

namespace pointpng {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Up in the target's frame after a motion that turns about the vertical of the source (z) only.
struct UprightMotion {
  Eigen::Isometry3d target_from_source;
  CloudOptions of_source, of_target;
};

/// The source stands on z; the target's frame is any.
UprightMotion upright_motion(std::uint64_t seed, double tilt_deg = 0.0) {
  Random random({seed, 81});
  const Eigen::Isometry3d frame = random_motion(random);
  Eigen::Isometry3d turn = Eigen::Isometry3d::Identity();
  turn.rotate(Eigen::AngleAxisd(random.uniform(0.0F, 6.28F), Eigen::Vector3d::UnitZ()));
  turn.rotate(Eigen::AngleAxisd(tilt_deg * kRadiansPerDegree, Eigen::Vector3d::UnitX()));
  return {frame * turn,
          {.up = 2.0 * Eigen::Vector3d::UnitZ()},  // any length
          {.up = frame.linear() * Eigen::Vector3d::UnitZ()}};
}

double tilt_deg(const UprightMotion& motion, const Alignment& found) {
  const Eigen::Vector3d turned =
      found.target_from_source.linear() * motion.of_source.up->normalized();
  return kDegreesPerRadian * std::acos(std::min(1.0, turned.dot(*motion.of_target.up)));
}

TEST(GravityTest, FindsUprightObjectsUpright) {
  const Registration registration = untrained_registration();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const UprightMotion motion = upright_motion(seed);
    const Cloud both = procedural_shape(seed, 0, 2000).points;
    const Alignment found = registration.align(
        both.topRows(1000), transformed(both.bottomRows(1000), motion.target_from_source),
        motion.of_source, motion.of_target);
    EXPECT_TRUE(found.accepted) << found.rejection_reason;
    EXPECT_LT(turn_between(found.target_from_source, motion.target_from_source), 2.0);
    EXPECT_LT(tilt_deg(motion, found), 2.0);
  }
}

TEST(GravityTest, AnObjectThatLiesIsRejectedAndNotTurnedUpright) {
  const Registration registration = untrained_registration();
  int named = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const double tilt = seed % 3 == 0 ? 180.0 : 90.0;
    const UprightMotion motion = upright_motion(seed, tilt);
    const Cloud both =
        procedural_shape(seed, static_cast<int>(seed % 2 == 0 ? 0 : seed % 8), 2000).points;
    const Alignment found = registration.align(
        both.topRows(1000), transformed(both.bottomRows(1000), motion.target_from_source),
        motion.of_source, motion.of_target);
    // Some procedural objects look the same after the tilt: then upright is an answer as good.
    if (found.accepted) {
      EXPECT_GT(found.num_symmetric_modes, 1) << seed << ": confidence " << found.confidence;
    }
    named += found.rejection_reason.find("tilted") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(named, 12);
}

TEST(GravityTest, ALyingViewIsRejectedToo) {
  const Registration registration = untrained_registration();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const UprightMotion motion = upright_motion(seed, 90.0);
    Random random({seed, 82});
    const Cloud seen =
        visible_from(sampled(boxy_chair(), 6000, seed + 50), 3.0F * random.direction());
    const Alignment found = registration.align(sampled(boxy_chair(), 2000, seed),
                                               transformed(seen, motion.target_from_source),
                                               motion.of_source, motion.of_target);
    EXPECT_FALSE(found.accepted) << seed << ": confidence " << found.confidence;
  }
}

/// Two scans of a room: what gravity gains.
TEST(GravityTest, FindsMoreOfTheRooms) {
  const Registration registration = untrained_registration();
  int with = 0, without = 0;
  constexpr int kRooms = 10;
  for (std::uint64_t seed = 0; seed < kRooms; ++seed) {
    Random random({seed, 83});
    const std::vector<Body> room = furnished_room(seed);
    const UprightMotion motion = upright_motion(seed);
    const auto scanned = [&](std::uint64_t key) {
      const Eigen::Vector3f place(random.uniform(-1.5F, 1.5F), random.uniform(-0.6F, 0.6F), 1.2F);
      const Eigen::Vector3f towards(random.uniform(-2.0F, 2.0F), random.uniform(-2.0F, 2.0F), 1.0F);
      return scan(room, place, towards, 70.0F, 6000, seed + key);
    };
    const Cloud source = scanned(0), target = transformed(scanned(900), motion.target_from_source);
    const auto is_right = [&](const Alignment& found) {
      return turn_between(found.target_from_source, motion.target_from_source) < 5.0 &&
                     (found.target_from_source.translation() -
                      motion.target_from_source.translation())
                             .norm() < 0.3
                 ? 1
                 : 0;
    };
    with += is_right(registration.align(source, target, motion.of_source, motion.of_target));
    without += is_right(registration.align(source, target));
  }
  std::printf("rooms right: %d with gravity, %d without, of %d\n", with, without, kRooms);
  EXPECT_GE(with, without);
}

TEST(GravityTest, OneUpAloneSaysNothing) {
  const TestPair pair = chair_pair(3);
  const Registration registration = untrained_registration();
  const Alignment plain = registration.align(pair.source, pair.target),
                  one = registration.align(pair.source, pair.target,
                                           {.up = Eigen::Vector3d::UnitX()}, {});
  EXPECT_EQ(one.target_from_source.matrix(), plain.target_from_source.matrix());
}

TEST(GravityTest, UpMustBeADirection) {
  const Cloud cloud = chair_pair(1).source;
  for (const Eigen::Vector3d& up :
       {Eigen::Vector3d(0.0, 0.0, 0.0), Eigen::Vector3d(0.0, std::nan(""), 1.0)}) {
    try {
      prepare_cloud(cloud, 1024, "scan", {.up = up});
      FAIL() << "accepted " << up.transpose();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("scan: the up direction"));
    }
  }
}

TEST(GravityTest, TurnsOnlyWhatIsNearlyUpright) {
  const Cloud cloud = sampled(boxy_chair(), 1000, 1);
  const CloudOptions up{.up = Eigen::Vector3d::UnitZ()};
  const auto source = prepare_cloud(cloud, 1024, "source", up),
             target = prepare_cloud(cloud, 1024, "target", up);
  const RegistrationProblem problem(*source, *target);
  const auto tilted = [](float degrees) {
    Candidate candidate;
    candidate.pose.rotation =
        Eigen::AngleAxisf(degrees * static_cast<float>(kRadiansPerDegree), Eigen::Vector3f::UnitX())
            .toRotationMatrix();
    return candidate;
  };
  Candidates candidates = {tilted(90.0F), tilted(15.0F), tilted(3.0F)};
  EXPECT_FALSE(is_upright(problem, candidates[1].pose));
  EXPECT_TRUE(is_upright(problem, candidates[2].pose));
  turn_upright(problem, candidates);
  EXPECT_NEAR(tilt_of(problem, candidates[0].pose), std::numbers::pi_v<float> / 2.0F, 1e-3F);
  EXPECT_NEAR(tilt_of(problem, candidates[1].pose), 0.0F, 1e-3F);
  const Candidates sorted = upright_first(problem, candidates);
  EXPECT_TRUE(is_upright(problem, sorted.front().pose));
  EXPECT_FALSE(is_upright(problem, sorted.back().pose));
  EXPECT_THAT(gravity_objection(problem, {tilted(90.0F)}), HasSubstr("tilted by 90°"));
}

}  // namespace
}  // namespace pointpng
