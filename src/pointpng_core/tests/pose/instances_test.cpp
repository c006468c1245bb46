#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pose/occupancy.h"
#include "pose/test_problems.h"
#include "pose/test_scenes.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

constexpr float kApart = 0.2F;  // metres: nearer is the same place

/// Copies of the chair beside a cupboard.
struct ChairScene {
  Cloud points;
  std::vector<Eigen::Isometry3f> chairs;
};

ChairScene scene_of(int copies, std::uint64_t seed) {
  Random random({seed, 91});
  ChairScene scene;
  std::vector<Cloud> parts = {
      transformed(sampled(boxy_cupboard(), 1500, seed),
                  Eigen::Isometry3d(placed(-1.2F, -1.2F, 30.0F).cast<double>()))};
  const float x[] = {-1.0F, 0.2F, 1.4F};
  for (int i = 0; i < copies; ++i) {
    scene.chairs.push_back(placed(x[i], random.uniform(0.0F, 0.6F), random.uniform(0.0F, 360.0F)));
    parts.push_back(
        transformed(sampled(boxy_chair(), 2500, seed + 10 + static_cast<std::uint64_t>(i)),
                    Eigen::Isometry3d(scene.chairs.back().cast<double>())));
  }
  Eigen::Index rows = 0;
  for (const Cloud& part : parts) rows += part.rows();
  scene.points.resize(rows, 3);
  rows = 0;
  for (const Cloud& part : parts) {
    scene.points.middleRows(rows, part.rows()) = part;
    rows += part.rows();
  }
  return scene;
}

Instances find_chairs(const ChairScene& scene, int most) {
  const Registration registration = untrained_registration();
  return registration.align_instances(
      registration.prepare(sampled(boxy_chair(), 4000, 5), "the chair"),
      registration.prepare(scene.points, "the scene"), most);
}

/// How many answers are right, each true copy at most once.
int count_right(const ChairScene& scene, const Instances& instances) {
  int right = 0;
  for (const Eigen::Isometry3f& truth : scene.chairs)
    right += std::any_of(
                 instances.found.begin(), instances.found.end(),
                 [&](const Alignment& found) {
                   const Eigen::Isometry3d expected(truth.cast<double>());
                   return turn_between(found.target_from_source, expected) < 5.0 &&
                          (found.target_from_source.translation() - expected.translation()).norm() <
                              0.05;
                 })
                 ? 1
                 : 0;
  return right;
}

TEST(InstancesTest, NoCopyGivesNoInstanceAndAReason) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Instances found = find_chairs(scene_of(0, seed), 3);
    EXPECT_TRUE(found.found.empty());
    EXPECT_FALSE(found.rejected.rejection_reason.empty());
    EXPECT_FALSE(found.rejected.accepted);
  }
}

TEST(InstancesTest, OneCopyIsFoundOnce) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const ChairScene scene = scene_of(1, seed);
    const Instances found = find_chairs(scene, 3);
    EXPECT_LE(found.found.size(), 1U) << "a phantom";
    EXPECT_EQ(count_right(scene, found), 1) << found.rejected.rejection_reason;
  }
}

TEST(InstancesTest, ThreeCopiesAreFoundWithoutDoubles) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const ChairScene scene = scene_of(3, seed);
    const Instances found = find_chairs(scene, 5);
    EXPECT_EQ(count_right(scene, found), 3) << found.rejected.rejection_reason;
    EXPECT_EQ(found.found.size(), 3U);
    for (std::size_t i = 0; i < found.found.size(); ++i) {
      EXPECT_TRUE(found.found[i].accepted);
      if (i > 0) {
        EXPECT_GE(found.found[i - 1].confidence, found.found[i].confidence);
      }
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_GT((found.found[i].target_from_source.translation() -
                   found.found[k].target_from_source.translation())
                      .norm(),
                  kApart);
    }
  }
}

TEST(InstancesTest, NoMoreThanAskedFor) {
  const ChairScene scene = scene_of(3, 1);
  const Instances found = find_chairs(scene, 2);
  EXPECT_EQ(found.found.size(), 2U);
  EXPECT_EQ(count_right(scene, found), 2);
}

TEST(InstancesTest, TheNumberHasARange) {
  EXPECT_THROW(find_chairs(scene_of(0, 0), 0), InputError);
}

TEST(OccupancyTest, ACopyElsewhereLeavesThePlaceAndATurnedOneDoesNot) {
  const auto chair = prepare_cloud(sampled(boxy_chair(), 2000, 1), 1024, "chair");
  RigidTransform turned, moved;
  turned.rotation = Eigen::AngleAxisf(1.5F, Eigen::Vector3f::UnitZ()).toRotationMatrix();
  moved.translation = {0.6F, 0.0F, 0.0F};
  EXPECT_FALSE(leaves_its_place(*chair, {}));
  EXPECT_FALSE(leaves_its_place(*chair, turned));
  EXPECT_TRUE(leaves_its_place(*chair, moved));
}

}  // namespace
}  // namespace pointpng
