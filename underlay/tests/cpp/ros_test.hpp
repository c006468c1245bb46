#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>

#include <gtest/gtest.h>

namespace underlay_tests {

using namespace std::chrono_literals;  // NOLINT: tests

/// ROS from the first line of a test to its last.
class RosTest : public testing::Test {
 protected:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }

  static rclcpp::NodeOptions arguments(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--ros-args");
    return rclcpp::NodeOptions().arguments(arguments);
  }
};

/// Spins until the condition holds. Discovery takes its time: wait for what you need, never for a
/// while.
template <class Executor>
bool spin_until(Executor& executor, const std::function<bool()>& condition,
                std::chrono::nanoseconds limit = 15s) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - start > limit) return false;
    executor.spin_once(10ms);
  }
  return true;
}

}  // namespace underlay_tests

/// One main() for all: every test program is one file.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
