#include <rcl_interfaces/msg/log.hpp>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

/// Hears what a node says on /rosout.
class Logging : public RosTest {
 protected:
  void SetUp() override {
    RosTest::SetUp();
    node_ = std::make_shared<rclcpp::Node>("talker");
    ear_ = std::make_shared<rclcpp::Node>("ear");
    subscription_ = ear_->create_subscription<rcl_interfaces::msg::Log>(
        "/rosout", rclcpp::QoS(1000).transient_local(),
        [this](const rcl_interfaces::msg::Log& log) {
          if (log.name.rfind("talker", 0) == 0) heard_.push_back(log);
        });
    executor_ = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
    executor_->add_node(ear_);
  }
  void TearDown() override {
    executor_.reset();
    subscription_.reset();
    ear_.reset();
    node_.reset();
    RosTest::TearDown();
  }

  /// Everything heard up to a last word.
  std::vector<std::string> texts() {
    RCLCPP_INFO(node_->get_logger(), "end");
    EXPECT_TRUE(
        spin_until(*executor_, [&] { return !heard_.empty() && heard_.back().msg == "end"; }));
    std::vector<std::string> result;
    for (const auto& log : heard_)
      if (log.msg != "end") result.push_back(log.msg);
    return result;
  }

  rclcpp::Node::SharedPtr node_;
  rclcpp::Node::SharedPtr ear_;
  rclcpp::Subscription<rcl_interfaces::msg::Log>::SharedPtr subscription_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
  std::vector<rcl_interfaces::msg::Log> heard_;
};

using Texts = std::vector<std::string>;

TEST_F(Logging, GoesToRosoutWithLevelAndPlace) {
  RCLCPP_WARN(node_->get_logger(), "%d of %s", 3, "them");
  RCLCPP_ERROR_STREAM(node_->get_logger(), "streamed " << 1.5);
  RCLCPP_DEBUG(node_->get_logger(), "not at this level");
  EXPECT_EQ(texts(), (Texts{"3 of them", "streamed 1.5"}));
  EXPECT_EQ(heard_[0].level, rcl_interfaces::msg::Log::WARN);
  EXPECT_NE(heard_[0].file.find("logging_test"), std::string::npos);
}

TEST_F(Logging, IsSaidOnceOrThrottledWhenAsked) {
  rclcpp::Clock clock(RCL_STEADY_TIME);
  for (int i = 0; i < 5; ++i) {
    RCLCPP_INFO_ONCE(node_->get_logger(), "once");
    RCLCPP_INFO_THROTTLE(node_->get_logger(), clock, 60000, "throttled %d", i);
    RCLCPP_INFO_STREAM_THROTTLE(node_->get_logger(), *node_->get_clock(), 60000, "streamed " << i);
    RCLCPP_INFO_EXPRESSION(node_->get_logger(), i == 2, "at two");
  }
  EXPECT_EQ(texts(), (Texts{"once", "throttled 0", "streamed 0", "at two"}));
}

TEST_F(Logging, HasLevelsAndChildren) {
  auto child = node_->get_logger().get_child("part");
  EXPECT_STREQ(child.get_name(), "talker.part");
  child.set_level(rclcpp::Logger::Level::Debug);
  RCLCPP_DEBUG(child, "in detail");
  EXPECT_EQ(texts(), Texts{"in detail"});
  EXPECT_EQ(heard_[0].name, "talker.part");
}

}  // namespace
}  // namespace underlay_tests
