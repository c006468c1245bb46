#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "cloud_messages.h"
#include "pair_matcher.h"
#include "pointpng/error.h"

namespace pointpng_ros {
namespace {

using pointpng::Cloud;
using sensor_msgs::msg::PointCloud2;

Cloud cube(Eigen::Index points) { return Cloud::Random(points, 3); }

std_msgs::msg::Header header(std::int64_t stamp_ns) { return to_header("sensor", stamp_ns); }

TEST(CloudMessages, ACloudComesBackAsItWent) {
  const Cloud cloud = cube(50);
  const PointCloud2 message = to_message(cloud, header(1'500'000'000));
  EXPECT_EQ(message.header.stamp.sec, 1);
  EXPECT_EQ(message.header.stamp.nanosec, 500'000'000U);
  const StampedCloud back = to_stamped_cloud(message);
  EXPECT_EQ(back.points, cloud);
  EXPECT_EQ(back.frame, "sensor");
  EXPECT_EQ(back.stamp_ns, 1'500'000'000);
  EXPECT_EQ(to_message(to_recorded(message)), message);
}

TEST(CloudMessages, InvalidPointsAreDropped) {
  Cloud cloud = cube(10);
  cloud.row(2).setZero();
  cloud.row(3).setZero();
  cloud(5, 1) = std::numeric_limits<float>::quiet_NaN();
  std::size_t dropped = 0;
  EXPECT_EQ(to_stamped_cloud(to_message(cloud, header(0)), &dropped).points.rows(), 7);
  EXPECT_EQ(dropped, 3U);
}

TEST(CloudMessages, AMessageWithTooFewBytesIsRefused) {
  PointCloud2 message = to_message(cube(10), header(0));
  message.data.resize(20);
  EXPECT_THROW(to_stamped_cloud(message), pointpng::InputError);
}

TEST(CloudMessages, StampsBeforeTheEpochComeBack) { EXPECT_EQ(to_nanoseconds(to_stamp(-1)), -1); }

CloudPtr cloud_at(std::int64_t stamp_ns) {
  return std::make_shared<PointCloud2>(to_message(cube(1), header(stamp_ns)));
}

TEST(PairMatcher, PairsCloudsOfTheSameTime) {
  PairMatcher matcher;
  EXPECT_FALSE(matcher.add_cloud(cloud_at(100), 10));
  EXPECT_FALSE(matcher.add_cloud(cloud_at(200), 10));
  const auto pair = matcher.add_target(cloud_at(195), 10);
  ASSERT_TRUE(pair);
  EXPECT_EQ(to_nanoseconds(pair->cloud->header.stamp), 200);
  EXPECT_EQ(to_nanoseconds(pair->target->header.stamp), 195);
}

TEST(PairMatcher, DoesNotPairCloudsOfDifferentTimes) {
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
