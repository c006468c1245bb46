#include <rosgraph_msgs/msg/clock.hpp>
#include <thread>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

using Times = RosTest;

TEST(TimeArithmetic, KeepsNanosecondsAndRefusesToMixClocks) {
  const rclcpp::Time start(10, 999'999'999, RCL_ROS_TIME);
  const rclcpp::Time end = start + rclcpp::Duration(0, 2);
  EXPECT_EQ(end.nanoseconds(), 11'000'000'001);
  EXPECT_EQ((end - start).nanoseconds(), 2);
  const builtin_interfaces::msg::Time message = end;
  EXPECT_EQ(message.sec, 11);
  EXPECT_EQ(message.nanosec, 1U);
  EXPECT_EQ(rclcpp::Time(message), end);
  EXPECT_THROW(static_cast<void>(start < rclcpp::Time(1, 0, RCL_SYSTEM_TIME)), std::runtime_error);
  EXPECT_THROW(rclcpp::Time::max() + rclcpp::Duration(1, 0), std::overflow_error);
}

TEST(TimeArithmetic, DurationsComeFromSecondsAndChrono) {
  EXPECT_EQ(rclcpp::Duration::from_seconds(-0.5).nanoseconds(), -500'000'000);
  EXPECT_EQ(rclcpp::Duration(250ms).seconds(), 0.25);
  EXPECT_EQ(rclcpp::Duration(250ms) * 4.0, rclcpp::Duration(1s));
  const builtin_interfaces::msg::Duration message = rclcpp::Duration::from_seconds(-0.5);
  EXPECT_EQ(message.sec, -1);
  EXPECT_EQ(message.nanosec, 500'000'000U);
}

TEST_F(Times, WallTimersTickUntilTheyAreCanceled) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  int ticks = 0;
  const auto timer = node->create_wall_timer(5ms, [&] { ++ticks; });
  ASSERT_TRUE(spin_until(executor, [&] { return ticks == 3; }));
  timer->cancel();
  EXPECT_TRUE(timer->is_canceled());
  executor.spin_once(30ms);
  EXPECT_EQ(ticks, 3);
  timer->reset();
  EXPECT_TRUE(spin_until(executor, [&] { return ticks == 4; }));
}

TEST_F(Times, TimersThatStopThemselvesTickOnce) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  int ticks = 0;
  const auto timer = node->create_wall_timer(1ms, [&](rclcpp::TimerBase& self) {
    ++ticks;
    self.cancel();
  });
  ASSERT_TRUE(spin_until(executor, [&] { return ticks == 1; }));
  executor.spin_once(20ms);
  EXPECT_EQ(ticks, 1);
}

TEST_F(Times, RatesSleepAboutAsLongAsTheyShould) {
  rclcpp::WallRate rate(50.0);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) rate.sleep();
  EXPECT_GE(std::chrono::steady_clock::now() - start, 95ms);
}

TEST_F(Times, ASleepEndsWithTheShutdown) {
  std::thread later([] {
    std::this_thread::sleep_for(50ms);
    rclcpp::shutdown();
  });
  EXPECT_FALSE(rclcpp::sleep_for(30s));
  later.join();
}

/// A node in simulated time, and somebody who makes that time.
class SimulatedTime : public RosTest {
 protected:
  void SetUp() override {
    RosTest::SetUp();
    node_ = std::make_shared<rclcpp::Node>("simulated", arguments({"-p", "use_sim_time:=true"}));
    maker_ = std::make_shared<rclcpp::Node>("maker");
    clock_ = maker_->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
    executor_ = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
    executor_->add_node(node_);
  }
  void TearDown() override {
    executor_.reset();
    node_.reset();
    clock_.reset();
    maker_.reset();
    RosTest::TearDown();
  }

  /// Says the time until the node knows it.
  bool set(double seconds) {
    rosgraph_msgs::msg::Clock message;
    message.clock = rclcpp::Time(static_cast<std::int64_t>(seconds * 1e9));
    return spin_until(*executor_, [&] {
      clock_->publish(message);
      return node_->now().seconds() == seconds;
    });
  }

  rclcpp::Node::SharedPtr node_;
  rclcpp::Node::SharedPtr maker_;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
};

TEST_F(SimulatedTime, StandsStillUntilTheClockSpeaks) {
  EXPECT_TRUE(node_->get_clock()->ros_time_is_active());
  EXPECT_EQ(node_->now().nanoseconds(), 0);
  EXPECT_TRUE(set(100.0));
  EXPECT_TRUE(set(50.0));  // back, as when a bag starts again
}

TEST_F(SimulatedTime, DrivesTimersOfTheNode) {
  int ticks = 0;
  ASSERT_TRUE(set(10.0));
  const auto timer = node_->create_timer(1s, [&] { ++ticks; });
  executor_->spin_once(100ms);
  EXPECT_EQ(ticks, 0);
  ASSERT_TRUE(set(11.0));
  ASSERT_TRUE(spin_until(*executor_, [&] { return ticks == 1; }));
  ASSERT_TRUE(set(12.5));
  EXPECT_TRUE(spin_until(*executor_, [&] { return ticks == 2; }));
}

TEST_F(SimulatedTime, LetsSleepersSleepInIt) {
  ASSERT_TRUE(set(1.0));
  bool slept = false;
  std::thread sleeper(
      [&] { slept = node_->get_clock()->sleep_until(rclcpp::Time(101, 0, RCL_ROS_TIME)); });
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(set(102.0));
  sleeper.join();
  EXPECT_TRUE(slept);
}

TEST_F(SimulatedTime, TellsOfItsJumps) {
  ASSERT_TRUE(set(20.0));
  std::int64_t jump_ns = 0;
  rcl_jump_threshold_t threshold = {};
  threshold.min_backward.nanoseconds = -1;
  const auto handler = node_->get_clock()->create_jump_callback(
      nullptr, [&](const rcl_time_jump_t& jump) { jump_ns = jump.delta.nanoseconds; }, threshold);
  ASSERT_TRUE(set(25.0));
  EXPECT_EQ(jump_ns, 0);
  ASSERT_TRUE(set(5.0));
  EXPECT_EQ(jump_ns, -20'000'000'000);
}

TEST_F(SimulatedTime, IsTurnedOnAndOffByTheParameter) {
  ASSERT_TRUE(set(5.0));
  ASSERT_TRUE(node_->set_parameter({"use_sim_time", false}).successful);
  EXPECT_FALSE(node_->get_clock()->ros_time_is_active());
  EXPECT_GT(node_->now().seconds(), 1e9);
  ASSERT_TRUE(node_->set_parameter({"use_sim_time", true}).successful);
  EXPECT_TRUE(set(6.0));
}

}  // namespace
}  // namespace underlay_tests
