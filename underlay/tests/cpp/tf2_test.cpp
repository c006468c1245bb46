#include <tf2_eigen/tf2_eigen.hpp>
#include <tf2_ros/buffer.h>
#include <tf2_ros/static_transform_broadcaster.h>
#include <tf2_ros/transform_broadcaster.h>
#include <tf2_ros/transform_listener.h>
#include <thread>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

using geometry_msgs::msg::TransformStamped;

TransformStamped transform(const std::string& parent, const std::string& child, double time,
                           double x, double yaw = 0.0) {
  TransformStamped message =
      tf2::eigenToTransform(Eigen::Translation3d(x, 0.0, 0.0) *
                            Eigen::Isometry3d(Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ())));
  message.header.stamp = rclcpp::Time(static_cast<std::int64_t>(time * 1e9));
  message.header.frame_id = parent;
  message.child_frame_id = child;
  return message;
}

tf2::TimePoint at(double seconds) { return tf2::timeFromSec(seconds); }

TEST(Buffer, InterpolatesPositionAndRotation) {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "base", 1.0, 0.0, 0.0), "test");
  buffer.setTransform(transform("map", "base", 2.0, 10.0, 1.0), "test");
  const auto found = buffer.lookupTransform("map", "base", at(1.25));
  EXPECT_NEAR(found.transform.translation.x, 2.5, 1e-12);
  const Eigen::AngleAxisd turn(tf2::transformToEigen(found).linear());
  EXPECT_NEAR(turn.angle(), 0.25, 1e-9);
  EXPECT_EQ(found.header.frame_id, "map");
  EXPECT_EQ(found.child_frame_id, "base");
  EXPECT_EQ(rclcpp::Time(found.header.stamp).seconds(), 1.25);
}

TEST(Buffer, ComposesAlongTheTreeInBothDirections) {
  tf2::BufferCore buffer;
  const auto map_base = transform("map", "base", 1.0, 3.0, 0.7);
  const auto base_left = transform("base", "left", 1.0, 0.1, 0.2);
  const auto base_right = transform("base", "right", 1.0, -0.1, -0.3);
  for (const auto& each : {map_base, base_left, base_right}) buffer.setTransform(each, "test");
  const Eigen::Isometry3d found =
      tf2::transformToEigen(buffer.lookupTransform("left", "right", at(1.0)));
  const Eigen::Isometry3d truth =
      tf2::transformToEigen(base_left).inverse() * tf2::transformToEigen(base_right);
  EXPECT_TRUE(found.isApprox(truth, 1e-12));
  const Eigen::Isometry3d back =
      tf2::transformToEigen(buffer.lookupTransform("left", "map", at(1.0)));
  EXPECT_TRUE((back * tf2::transformToEigen(map_base) * tf2::transformToEigen(base_left))
                  .isApprox(Eigen::Isometry3d::Identity(), 1e-12));
}

TEST(Buffer, TakesTheNewestTimeThatAllStepsHave) {
  tf2::BufferCore buffer;
  for (const double time : {1.0, 2.0, 3.0})
    buffer.setTransform(transform("map", "base", time, time), "test");
  for (const double time : {1.0, 2.5})
    buffer.setTransform(transform("base", "eye", time, 0.0), "test");
  buffer.setTransform(transform("eye", "lens", 0.0, 0.5), "test", true);
  const auto found = buffer.lookupTransform("map", "lens", tf2::TimePointZero);
  EXPECT_EQ(rclcpp::Time(found.header.stamp).seconds(), 2.5);
  EXPECT_NEAR(found.transform.translation.x, 3.0, 1e-12);
}

TEST(Buffer, SaysWhyThereIsNoTransform) {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "base", 1.0, 0.0), "test");
  EXPECT_THROW(buffer.lookupTransform("map", "base", at(1.5)), tf2::ExtrapolationException);
  buffer.setTransform(transform("map", "base", 2.0, 0.0), "test");
  buffer.setTransform(transform("moon", "rover", 1.0, 0.0), "test");
  EXPECT_THROW(buffer.lookupTransform("map", "base", at(0.5)), tf2::ExtrapolationException);
  EXPECT_THROW(buffer.lookupTransform("map", "base", at(2.5)), tf2::ExtrapolationException);
  EXPECT_THROW(buffer.lookupTransform("map", "nowhere", at(1.0)), tf2::LookupException);
  EXPECT_THROW(buffer.lookupTransform("map", "rover", at(1.0)), tf2::ConnectivityException);
  EXPECT_THROW(buffer.lookupTransform("map", "", at(1.0)), tf2::InvalidArgumentException);
  std::string error;
  EXPECT_FALSE(buffer.canTransform("map", "base", at(2.5), &error));
  EXPECT_NE(error.find("future"), std::string::npos) << error;
  EXPECT_TRUE(buffer.canTransform("map", "base", at(1.5)));
}

TEST(Buffer, RefusesTransformsThatMakeNoSense) {
  tf2::BufferCore buffer;
  EXPECT_FALSE(buffer.setTransform(transform("map", "map", 1.0, 0.0), "test"));
  EXPECT_FALSE(buffer.setTransform(transform("", "base", 1.0, 0.0), "test"));
  EXPECT_FALSE(buffer.setTransform(transform("map", "base", 1.0, std::nan("")), "test"));
  auto unnormalised = transform("map", "base", 1.0, 0.0);
  unnormalised.transform.rotation.w = 2.0;
  EXPECT_FALSE(buffer.setTransform(unnormalised, "test"));
  EXPECT_TRUE(buffer.getAllFrameNames().empty());
}

TEST(Buffer, ForgetsWhatIsOldAndAllButStaticWhenCleared) {
  tf2::BufferCore buffer(std::chrono::seconds(10));
  for (const double time : {1.0, 2.0, 11.5})
    buffer.setTransform(transform("map", "base", time, 0.0), "test");
  EXPECT_FALSE(buffer.canTransform("map", "base", at(1.2)));
  EXPECT_TRUE(buffer.canTransform("map", "base", at(2.0)));
  EXPECT_FALSE(buffer.setTransform(transform("map", "base", 1.0, 0.0), "test"));
  buffer.setTransform(transform("base", "eye", 0.0, 0.0), "test", true);
  buffer.clear();
  EXPECT_FALSE(buffer.canTransform("map", "base", tf2::TimePointZero));
  EXPECT_TRUE(buffer.canTransform("base", "eye", at(1000.0)));
}

TEST(Buffer, FollowsAFrameThroughTime) {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "base", 1.0, 0.0), "test");
  buffer.setTransform(transform("map", "base", 2.0, 10.0), "test");
  // Where is what base saw at 1 s, seen from base at 2 s?
  const auto found = buffer.lookupTransform("base", at(2.0), "base", at(1.0), "map");
  EXPECT_NEAR(found.transform.translation.x, -10.0, 1e-12);
}

/// A buffer that listens, and a node that speaks.
class Listening : public RosTest {
 protected:
  void SetUp() override {
    RosTest::SetUp();
    node_ = std::make_shared<rclcpp::Node>("n");
    buffer_ = std::make_unique<tf2_ros::Buffer>(node_->get_clock());
  }
  void TearDown() override {
    buffer_.reset();
    node_.reset();
    RosTest::TearDown();
  }
  rclcpp::Node::SharedPtr node_;
  std::unique_ptr<tf2_ros::Buffer> buffer_;
};

TEST_F(Listening, HearsBroadcastersInItsOwnThread) {
  tf2_ros::TransformListener listener(*buffer_, node_);
  tf2_ros::TransformBroadcaster broadcaster(node_);
  std::atomic<bool> done{false};
  std::thread speaker([&] {
    for (double time = 1.0; !done; time += 0.1) {
      broadcaster.sendTransform(transform("map", "base", time, time));
      std::this_thread::sleep_for(20ms);
    }
  });
  EXPECT_NO_THROW(buffer_->lookupTransform("map", "base", tf2::TimePointZero, 15s));
  done = true;
  speaker.join();
}

TEST_F(Listening, HearsStaticTransformsThatWereSentBefore) {
  tf2_ros::StaticTransformBroadcaster broadcaster(*node_);
  broadcaster.sendTransform(transform("base", "left", 0.0, 1.0));
  broadcaster.sendTransform(transform("base", "right", 0.0, 2.0));
  tf2_ros::TransformListener listener(*buffer_);
  EXPECT_TRUE(buffer_->canTransform("left", "right", rclcpp::Time(5, 0), rclcpp::Duration(15s)));
  EXPECT_NEAR(buffer_->lookupTransform("left", "right", rclcpp::Time(5, 0)).transform.translation.x,
              1.0, 1e-12);
}

TEST_F(Listening, GivesUpAfterTheTimeout) {
  tf2_ros::TransformListener listener(*buffer_, *node_);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(buffer_->lookupTransform("map", "base", tf2::TimePointZero, 200ms),
               tf2::LookupException);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 190ms);
}

}  // namespace
}  // namespace underlay_tests
