#include "statistics.h"

#include <thread>

#include <gtest/gtest.h>

namespace pointpng_ros {
namespace {

using namespace std::chrono_literals;
using diagnostic_msgs::msg::DiagnosticStatus;

NodeState silent_node() {
  NodeState state;
  state.silence = "nobody publishes";
  return state;
}

TEST(Statistics, AMomentWithoutCloudsIsNoSilence) {
  Statistics statistics;
  EXPECT_EQ(statistics.report(silent_node()).message, "waits for clouds");
  statistics.arrived();
  statistics.answered(true, 1.0, "");
  EXPECT_EQ(statistics.report(silent_node()).message, "poses are published");
  const DiagnosticStatus later = statistics.report(silent_node());
  EXPECT_EQ(later.message, "poses are published");
  EXPECT_EQ(later.level, DiagnosticStatus::OK);
}

TEST(Statistics, AfterSomeSecondsItIs) {
  Statistics statistics;
  statistics.arrived();
  statistics.answered(true, 1.0, "");
  std::this_thread::sleep_for(3200ms);
  const DiagnosticStatus silent = statistics.report(silent_node());
  EXPECT_EQ(silent.level, DiagnosticStatus::STALE);
  EXPECT_EQ(silent.message, "nobody publishes");
  statistics.arrived();
  statistics.answered(true, 1.0, "");
  EXPECT_EQ(statistics.report(silent_node()).message, "poses are published");
  std::this_thread::sleep_for(3200ms);  // the pause before was as long: a slow sensor
  EXPECT_EQ(statistics.report(silent_node()).message, "poses are published");
}

TEST(Statistics, AnotherDeviceIsAnEvent) {
  Statistics statistics;
  EXPECT_FALSE(statistics.set_device("cuda:0"));
  EXPECT_FALSE(statistics.set_device("cuda:0"));
  EXPECT_TRUE(statistics.set_device("cpu (cuda:0 failed: out of memory)"));
  statistics.arrived();
  statistics.answered(true, 1.0, "");
  const DiagnosticStatus told = statistics.report(silent_node());
  EXPECT_EQ(told.level, DiagnosticStatus::WARN);
  EXPECT_EQ(told.message,
            "poses are computed on another device now: cpu (cuda:0 failed: out of memory)");
  EXPECT_EQ(told.hardware_id, "cpu (cuda:0 failed: out of memory)");
}

}  // namespace
}  // namespace pointpng_ros
