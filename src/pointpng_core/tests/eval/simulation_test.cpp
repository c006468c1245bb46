#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "eval/distances.h"
#include "eval/ray_scene.h"
#include "eval/test_shapes.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

using Eigen::Vector3f;

TEST(RayScene, MeetsTheNearestSurface) {
  RayScene scene;
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
  pose.translate(Vector3f(5, 0, 0));
  scene.add_box(pose, {1, 2, 3}, 1);
  scene.add_cylinder({3, 0, -1}, {3, 0, 1}, 0.5F, 2);
  scene.build();
  const Ray ahead{Vector3f::Zero(), Vector3f::UnitX()};
  const auto hit = scene.cast(ahead);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->part, 2);
  EXPECT_NEAR(hit->distance, 2.5F, 1e-5F);
  EXPECT_NEAR(hit->incidence, 1.0F, 1e-5F);
  const auto above = scene.cast({Vector3f(0, 0, 2), Vector3f::UnitX()});
  ASSERT_TRUE(above.has_value());
  EXPECT_EQ(above->part, 1);
  EXPECT_NEAR(above->distance, 4.0F, 1e-5F);
  EXPECT_FALSE(scene.cast({Vector3f(0, 0, 4), Vector3f::UnitX()}).has_value());
  EXPECT_FALSE(scene.cast({Vector3f::Zero(), -Vector3f::UnitX()}).has_value());
}

TEST(RayScene, FindsTheSameInATreeAsInEverySurfaceAlone) {
  Random random({1});
  RayScene all;
  std::vector<RayScene> alone(60);
  for (int i = 0; i < 60; ++i) {
    Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
    pose.translate(4.0F * random.direction());
    pose.rotate(Eigen::AngleAxisf(random.uniform(0, 3), random.direction()));
    const Vector3f half(random.uniform(0.1F, 1), random.uniform(0.1F, 1), random.uniform(0.1F, 1));
    all.add_box(pose, half, i);
    alone[static_cast<std::size_t>(i)].add_box(pose, half, i);
    alone[static_cast<std::size_t>(i)].build();
  }
  all.build();
  int met = 0;
  for (int i = 0; i < 500; ++i) {
    const Ray ray{0.5F * random.direction(), random.direction()};
    float nearest = 1e9F;
    for (const RayScene& one : alone)
      if (const auto hit = one.cast(ray)) nearest = std::min(nearest, hit->distance);
    const auto hit = all.cast(ray);
    ASSERT_EQ(hit.has_value(), nearest < 1e9F);
    if (hit) {
      EXPECT_FLOAT_EQ(hit->distance, nearest);
      ++met;
    }
  }
  EXPECT_GT(met, 100);
}

TEST(RayScene, PointsStandForTheSurfaceAroundThem) {
  Random random({2});
  Cloud sphere(4000, 3);
  for (Eigen::Index i = 0; i < sphere.rows(); ++i) sphere.row(i) = random.direction().transpose();
  RayScene scene;
  scene.add_surface(sphere, sphere, 0.08F, 0);
  scene.build();
  int through = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3f from = 3.0F * random.direction();
    const auto hit = scene.cast({from, -from.normalized()});
    ASSERT_TRUE(hit.has_value());
    through += std::abs(hit->distance - 2.0F) > 0.01F ? 1 : 0;
  }
  EXPECT_LE(through, 6);
}

double share_near(const Cloud& cloud, const Cloud& other, double reach) {
  const Eigen::VectorXf distances = nearest_distances(thinned(cloud, 1000), other);
  return static_cast<double>((distances.array() < static_cast<float>(reach)).count()) /
         static_cast<double>(distances.size());
}

std::vector<PosePair> simulated(const std::string& protocol, std::int64_t count,
                                std::uint64_t seed = 3) {
  return make_pairs(test_shapes(12, 2048), protocol, count, seed);
}

class EverySimulation : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, EverySimulation,
                         testing::Values("clutter", "room", "street", "corridor"));

TEST_P(EverySimulation, TheTruthPutsTheSourceOntoTheTarget) {
  for (const PosePair& pair : simulated(GetParam(), 3)) {
    const double reach = 3.0 * std::max(mean_spacing(pair.source), mean_spacing(pair.target));
    const Cloud moved = transformed(pair.source, pair.target_from_source);
    const double there = share_near(moved, pair.target, reach);
    Eigen::Isometry3d wrong = pair.target_from_source;
    wrong.rotate(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()));
    EXPECT_GT(there, 0.15);
    EXPECT_GT(there, share_near(transformed(pair.source, wrong), pair.target, reach));
    EXPECT_EQ(pair.kind, GetParam());
    EXPECT_FALSE(pair.class_name.empty() && pair.name.empty());
  }
}

TEST_P(EverySimulation, ASeedGivesTheSamePairsHoweverManyThereAre) {
  const auto three = simulated(GetParam(), 3), one = simulated(GetParam(), 1);
  EXPECT_EQ(one[0].source, three[0].source);
  EXPECT_EQ(one[0].target, three[0].target);
  EXPECT_EQ(one[0].target_viewpoint, three[0].target_viewpoint);
  EXPECT_NE(simulated(GetParam(), 1, 4)[0].target_viewpoint, one[0].target_viewpoint);
}

TEST_P(EverySimulation, UpIsTheSameInBothClouds) {
  const PosePair pair = simulated(GetParam(), 1).front();
  ASSERT_TRUE(pair.source_up && pair.target_up && pair.target_viewpoint);
  EXPECT_LT((pair.target_from_source.linear() * *pair.source_up - *pair.target_up).norm(), 1e-9);
  // Sensors stand above most of what they see, in a street and in a room.
  EXPECT_NEAR(pair.target_up->norm(), 1.0, 1e-9);
}

TEST(SimulationTest, NothingIsInFrontOfWhatASensorSaw) {
  for (const PosePair& pair : simulated("room", 2)) {
    const Eigen::RowVector3f from = pair.target_viewpoint->cast<float>().transpose();
    const Cloud seen = thinned(pair.target, 300);
    for (Eigen::Index i = 0; i < seen.rows(); ++i) {
      const Eigen::RowVector3f way = (seen.row(i) - from).normalized();
      const float range = (seen.row(i) - from).norm();
      for (Eigen::Index j = 0; j < pair.target.rows(); j += 7) {
        const Eigen::RowVector3f other = pair.target.row(j) - from;
        const float along = other.dot(way);
        if ((other - along * way).norm() < 0.001F * along) EXPECT_GT(along, 0.9F * range);
      }
    }
  }
}

TEST(SimulationTest, AModelInClutterIsAFewPercentOfTheScene) {
  for (const PosePair& pair : simulated("clutter", 4)) {
    const Cloud model = transformed(pair.source, pair.target_from_source);
    const double share = share_near(pair.target, model, 2.0 * mean_spacing(model));
    EXPECT_GT(share, 0.003);
    EXPECT_LT(share, 0.15);
  }
}

TEST(SimulationTest, AnAbsentModelIsNotThere) {
  for (const PosePair& pair : simulated("absent", 2)) {
    EXPECT_FALSE(pair.present);
    EXPECT_FALSE(pair.source_up.has_value());
    EXPECT_GT(pair.target.rows(), 10000);
  }
}

TEST(SimulationTest, ASceneOfOneShapeIsRefused) {
  EXPECT_THROW(make_pairs(test_shapes(1, 256), "clutter", 1, 1), InputError);
}

}  // namespace
}  // namespace pointpng
