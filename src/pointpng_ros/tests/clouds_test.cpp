#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "base/random.h"
#include "cloud_messages.h"
#include "pair_matcher.h"
#include "pointpng/error.h"
#include "preparation.h"

namespace pointpng_ros {
namespace {

using pointpng::Cloud;
using sensor_msgs::msg::PointCloud2;

Cloud cube(Eigen::Index points) {
  pointpng::Random random({1});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < cloud.size(); ++i) cloud.data()[i] = random.uniform(-1, 1);
  return cloud;
}

std_msgs::msg::Header header(std::int64_t stamp_ns) {
  std_msgs::msg::Header result;
  result.frame_id = "sensor";
  result.stamp = to_stamp(stamp_ns);
  return result;
}

TEST(CloudMessages, ACloudComesBackAsItWent) {
  const Cloud cloud = cube(50);
  const PointCloud2 message = to_message(cloud, header(1'500'000'000));
  EXPECT_EQ(message.header.stamp.sec, 1);
  EXPECT_EQ(message.header.stamp.nanosec, 500'000'000U);
  EXPECT_EQ(to_cloud(message), cloud);
  EXPECT_EQ(to_message(to_recorded(message)), message);
}

TEST(CloudMessages, PointsThatAreNotThereAreLeftOut) {
  Cloud cloud = cube(10);
  cloud.row(2).setZero();
  cloud.row(3).setZero();
  cloud(5, 1) = std::numeric_limits<float>::quiet_NaN();
  std::size_t dropped = 0;
  EXPECT_EQ(to_cloud(to_message(cloud, header(0)), &dropped).rows(), 7);
  EXPECT_EQ(dropped, 3U);
}

TEST(CloudMessages, AMessageThatPromisesTooMuchIsRefused) {
  PointCloud2 message = to_message(cube(10), header(0));
  message.data.resize(20);
  EXPECT_THROW(to_cloud(message), pointpng::InputError);
}

TEST(CloudMessages, StampsBeforeTheEpochComeBack) { EXPECT_EQ(to_nanoseconds(to_stamp(-1)), -1); }

TEST(Preparation, TheBoxIsMeantInTheBaseFrame) {
  PreparationConfig config;
  config.crop = true;
  config.crop_min = {9.0, -2.0, -2.0};
  config.crop_max = {10.0, 2.0, 2.0};
  Eigen::Isometry3d base_from_cloud = Eigen::Isometry3d::Identity();
  base_from_cloud.translation().x() = 10.0;
  const Cloud kept = prepare(cube(1000), config, base_from_cloud);
  EXPECT_GT(kept.rows(), 400);
  EXPECT_LE(kept.col(0).maxCoeff(), 0.0F);
}

TEST(Preparation, TheGroundGoesAndTheObjectStays) {
  pointpng::Random random({3});
  Cloud cloud(3000, 3);
  for (Eigen::Index i = 0; i < 2000; ++i)  // a floor with some noise
    cloud.row(i) << random.uniform(-2, 2), random.uniform(-2, 2), 0.003F * random.normal();
  for (Eigen::Index i = 2000; i < 3000; ++i)
    cloud.row(i) << random.uniform(-0.2F, 0.2F), random.uniform(-0.2F, 0.2F),
        random.uniform(0.1F, 0.5F);
  PreparationConfig config;
  config.remove_ground = true;
  const Cloud kept = prepare(cloud, config, Eigen::Isometry3d::Identity());
  EXPECT_NEAR(static_cast<double>(kept.rows()), 1000.0, 20.0);
  EXPECT_GT(kept.col(2).mean(), 0.25F);
}

TEST(Preparation, AWallIsNoGround) {
  pointpng::Random random({4});
  Cloud wall(1000, 3);
  for (Eigen::Index i = 0; i < 1000; ++i)
    wall.row(i) << 1.0F, random.uniform(-2, 2), random.uniform(-2, 2);
  PreparationConfig config;
  config.remove_ground = true;
  EXPECT_EQ(prepare(wall, config, Eigen::Isometry3d::Identity()).rows(), 1000);
}

TEST(Preparation, ABoxWithoutInsideIsRefused) {
  PreparationConfig config;
  config.crop_min = {0.0, 2.0, 0.0};
  EXPECT_THROW(validate(config), pointpng::InputError);
  config.crop_min = {0.0, 0.0};
  EXPECT_THROW(validate(config), pointpng::InputError);
}

PairMatcher::Cloud cloud_at(std::int64_t stamp_ns) {
  return std::make_shared<PointCloud2>(to_message(cube(1), header(stamp_ns)));
}

TEST(PairMatcher, ThoseOfTheSameTimeBelongTogether) {
  PairMatcher matcher;
  EXPECT_FALSE(matcher.add_cloud(cloud_at(100), 10));
  EXPECT_FALSE(matcher.add_cloud(cloud_at(200), 10));
  const auto pair = matcher.add_target(cloud_at(195), 10);
  ASSERT_TRUE(pair);
  EXPECT_EQ(to_nanoseconds(pair->first->header.stamp), 200);
  EXPECT_EQ(to_nanoseconds(pair->second->header.stamp), 195);
}

TEST(PairMatcher, ThoseOfDifferentTimesDoNot) {
  PairMatcher matcher;
  EXPECT_FALSE(matcher.add_cloud(cloud_at(100), 10));
  EXPECT_FALSE(matcher.add_target(cloud_at(120), 10));
}

TEST(PairMatcher, AfterTimeWentBackPairsAreFoundAgain) {
  PairMatcher matcher;
  EXPECT_FALSE(matcher.add_cloud(cloud_at(1000), 10));
  EXPECT_FALSE(matcher.add_cloud(cloud_at(100), 10));
  EXPECT_TRUE(matcher.add_target(cloud_at(100), 10));
}

}  // namespace
}  // namespace pointpng_ros
