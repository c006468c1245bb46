// The core logs with the system's spdlog, rcl with one of its own: they must not meet.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

TEST(Spdlog, OfTheProgramLivesBesideThatOfRcl) {
  spdlog::info("before {}", "init");
  rclcpp::init(0, nullptr);
  const auto own = spdlog::stderr_color_mt("own");
  {
    rclcpp::Node node("n");
    for (int i = 0; i < 3; ++i) {
      RCLCPP_ERROR(node.get_logger(), "from ROS %d", i);
      spdlog::warn("from the core {}", i);
      own->error("from a logger {}", i);
    }
  }
  rclcpp::shutdown();
  spdlog::info("after");
  EXPECT_EQ(spdlog::get("own"), own);
}

}  // namespace
}  // namespace underlay_tests
