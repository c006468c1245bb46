// Pairs that no pose brings together: each is rejected, with a sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pose/test_problems.h"
#include "pose/test_scenes.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

class WrongPairsTest : public ::testing::Test {
 protected:
  static void expect_rejected(const Alignment& found, std::uint64_t seed) {
    EXPECT_FALSE(found.accepted) << seed << ": confidence " << found.confidence;
    EXPECT_FALSE(found.rejection_reason.empty());
  }

  /// What a camera sees of bodies on a floor.
  static Cloud seen(std::vector<Body> bodies, std::uint64_t seed) {
    bodies.push_back({{{{-2.0F, -2.0F, -0.05F}, {2.0F, 2.0F, 0.0F}}}});
    return scan(bodies, {0.0F, -2.5F, 1.8F}, {0.0F, 0.0F, 0.3F}, 22.0F, 15000, seed);
  }

  Registration registration_ = untrained_registration();
};

TEST_F(WrongPairsTest, ASceneWithoutTheObject) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<Body> room = furnished_room(seed);
    expect_rejected(registration_.align(
                        sampled(boxy_chair(), 3000, seed),
                        scan(room, {-2.0F, 0.0F, 1.4F}, {1.0F, 0.0F, 0.8F}, 30.0F, 15000, seed)),
                    seed);
  }
}

TEST_F(WrongPairsTest, TheWrongObject) {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    expect_rejected(
        registration_.align(sampled(boxy_chair(), 3000, seed),
                            seen({{boxy_cupboard(), placed(0.0F, 0.0F, 50.0F * seed)}}, seed)),
        seed);
}

TEST_F(WrongPairsTest, AMirroredObject) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random({seed, 95});
    Cloud mirrored = sampled(boxy_cupboard(), 3000, seed + 100);
    mirrored.col(0) *= -1.0F;
    expect_rejected(registration_.align(sampled(boxy_cupboard(), 3000, seed),
                                        transformed(mirrored, random_motion(random))),
                    seed);
  }
}

TEST_F(WrongPairsTest, AnObjectLargerThanTheScene) {
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    expect_rejected(registration_.align(sampled(boxy_chair(), 3000, seed) * 6.0F,
                                        seen({{boxy_cupboard(), placed(0.0F, 0.0F, 30.0F)}}, seed)),
                    seed);
}

TEST_F(WrongPairsTest, UnitsAThousandApart) {
  const Alignment found = registration_.align(sampled(boxy_chair(), 3000, 1) * 1000.0F,
                                              seen({{boxy_chair(), placed(0.0F, 0.0F, 30.0F)}}, 1));
  expect_rejected(found, 1);
  EXPECT_THAT(found.rejection_reason, HasSubstr("same unit"));
}

/// Two objects that touch are one cluster: the object in it is found, or rejected, but not
/// elsewhere.
TEST_F(WrongPairsTest, TwoObjectsThatTouch) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Eigen::Isometry3f chair = placed(-0.25F, 0.0F, 40.0F * static_cast<float>(seed));
    const Cloud scene =
        seen({{boxy_chair(), chair}, {boxy_cupboard(), placed(0.2F, 0.0F, 0.0F)}}, seed);
    const Alignment found = registration_.align(sampled(boxy_chair(), 3000, seed), scene);
    if (!found.accepted) continue;
    EXPECT_LT(turn_between(found.target_from_source, Eigen::Isometry3d(chair.cast<double>())), 5.0);
  }
}

}  // namespace
}  // namespace pointpng
