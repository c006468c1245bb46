#include <fstream>
#include <rcl_interfaces/msg/parameter_event.hpp>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

using Parameters = RosTest;
using rcl_interfaces::msg::ParameterDescriptor;
using rcl_interfaces::msg::SetParametersResult;

ParameterDescriptor in_range(double from, double to) {
  ParameterDescriptor descriptor;
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].from_value = from;
  descriptor.floating_point_range[0].to_value = to;
  return descriptor;
}

TEST_F(Parameters, HaveTheirDefaultUntilTheyAreSet) {
  rclcpp::Node node("n");
  EXPECT_EQ(node.declare_parameter("count", 3), 3);
  EXPECT_EQ(node.declare_parameter<std::string>("name", "x"), "x");
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("count", 4)).successful);
  EXPECT_EQ(node.get_parameter("count").as_int(), 4);
  double absent = 7.0;
  EXPECT_FALSE(node.get_parameter("absent", absent));
  EXPECT_EQ(node.get_parameter_or("absent", 2.5), 2.5);
}

TEST_F(Parameters, AreOverriddenByArgumentsAndTheseByOptions) {
  auto options = arguments({"-p", "a:=1.5", "-p", "b:=[1, 2]", "-p", "c:=from arguments"});
  options.append_parameter_override("c", "from options");
  rclcpp::Node node("n", options);
  EXPECT_EQ(node.declare_parameter("a", 0.0), 1.5);
  EXPECT_EQ(node.declare_parameter("b", std::vector<std::int64_t>{}),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(node.declare_parameter("c", ""), "from options");
}

TEST_F(Parameters, OfAFileGoToTheNodesThatItNames) {
  const std::string path = testing::TempDir() + "parameters.yaml";
  std::ofstream(path) << "/**:\n  ros__parameters:\n    all: 1\n    both: 1\n"
                         "/robot/*:\n  ros__parameters: {star: 2}\n"
                         "/robot/eye:\n  ros__parameters:\n    both: 3\n    nested: {deep: true}\n"
                         "/other/eye:\n  ros__parameters: {all: 9}\n";
  rclcpp::Node node("eye", "robot", arguments({"--params-file", path}));
  EXPECT_EQ(node.declare_parameter("all", 0), 1);
  EXPECT_EQ(node.declare_parameter("star", 0), 2);
  EXPECT_EQ(node.declare_parameter("both", 0), 3);
  EXPECT_TRUE(node.declare_parameter("nested.deep", false));
}

TEST_F(Parameters, OfTheWrongTypeOrOutOfRangeStopTheStart) {
  rclcpp::Node node("n", arguments({"-p", "a:=text", "-p", "b:=2.0"}));
  EXPECT_THROW(node.declare_parameter("a", 1.0), rclcpp::exceptions::InvalidParameterTypeException);
  EXPECT_THROW(node.declare_parameter("b", 0.5, in_range(0, 1)),
               rclcpp::exceptions::InvalidParameterValueException);
  EXPECT_THROW(node.declare_parameter<int>("without_value"),
               rclcpp::exceptions::ParameterUninitializedException);
}

TEST_F(Parameters, AreCheckedWhenTheyAreSet) {
  rclcpp::Node node("n");
  node.declare_parameter("ratio", 0.5, in_range(0, 1));
  ParameterDescriptor fixed;
  fixed.read_only = true;
  node.declare_parameter("fixed", 1, fixed);
  EXPECT_TRUE(node.set_parameter({"ratio", 1.0}).successful);
  EXPECT_FALSE(node.set_parameter({"ratio", 1.01}).successful);
  EXPECT_FALSE(node.set_parameter({"ratio", 1}).successful);  // an integer is no double
  EXPECT_FALSE(node.set_parameter({"fixed", 2}).successful);
  EXPECT_EQ(node.get_parameter("ratio").as_double(), 1.0);
  EXPECT_THROW(node.set_parameter({"unknown", 2}),
               rclcpp::exceptions::ParameterNotDeclaredException);
  EXPECT_THROW(node.declare_parameter("ratio", 0.5),
               rclcpp::exceptions::ParameterAlreadyDeclaredException);
}

TEST_F(Parameters, KeepToTheStepsOfTheirRange) {
  rclcpp::Node node("n");
  ParameterDescriptor descriptor;
  descriptor.integer_range.resize(1);
  descriptor.integer_range[0].from_value = 1;
  descriptor.integer_range[0].to_value = 10;
  descriptor.integer_range[0].step = 3;
  node.declare_parameter("i", 1, descriptor);
  for (const int good : {1, 4, 7, 10})
    EXPECT_TRUE(node.set_parameter({"i", good}).successful) << good;
  for (const int bad : {0, 2, 9, 11})
    EXPECT_FALSE(node.set_parameter({"i", bad}).successful) << bad;
  descriptor = in_range(0.0, 1.0);
  descriptor.floating_point_range[0].step = 0.1;
  node.declare_parameter("d", 0.0, descriptor);
  EXPECT_TRUE(node.set_parameter({"d", 0.3}).successful);
  EXPECT_FALSE(node.set_parameter({"d", 0.35}).successful);
}

TEST_F(Parameters, AreSetAllOrNoneWhenAskedAtomically) {
  rclcpp::Node node("n");
  node.declare_parameter("a", 1);
  node.declare_parameter("b", 0.5, in_range(0, 1));
  EXPECT_FALSE(node.set_parameters_atomically({{"a", 2}, {"b", 3.0}}).successful);
  EXPECT_EQ(node.get_parameter("a").as_int(), 1);
  const auto results = node.set_parameters({{"a", 2}, {"b", 3.0}});
  EXPECT_TRUE(results[0].successful);
  EXPECT_FALSE(results[1].successful);
  EXPECT_EQ(node.get_parameter("a").as_int(), 2);
}

TEST_F(Parameters, AskTheirCallbacksAsLongAsTheHandleLives) {
  rclcpp::Node node("n");
  node.declare_parameter("a", 1);
  std::int64_t told = 0;
  const auto post = node.add_post_set_parameters_callback(
      [&](const std::vector<rclcpp::Parameter>& parameters) { told = parameters[0].as_int(); });
  auto refuse = node.add_on_set_parameters_callback([&](const std::vector<rclcpp::Parameter>&) {
    SetParametersResult result;
    result.successful = false;
    result.reason = "not today";
    EXPECT_THROW(node.set_parameter({"a", 9}),
                 rclcpp::exceptions::ParameterModifiedInCallbackException);
    return result;
  });
  EXPECT_EQ(node.set_parameter({"a", 2}).reason, "not today");
  EXPECT_EQ(told, 0);
  refuse.reset();
  EXPECT_TRUE(node.set_parameter({"a", 3}).successful);
  EXPECT_EQ(told, 3);
}

TEST_F(Parameters, AreListedByPrefixAndDepth) {
  rclcpp::Node node("n");
  for (const char* name : {"top", "a.one", "a.b.two"}) node.declare_parameter(name, 0);
  EXPECT_EQ(node.list_parameters({"a"}, 0).names, (std::vector<std::string>{"a.b.two", "a.one"}));
  EXPECT_EQ(node.list_parameters({"a"}, 1).names, (std::vector<std::string>{"a.one"}));
  EXPECT_EQ(node.list_parameters({}, 1).names, (std::vector<std::string>{"top", "use_sim_time"}));
  std::map<std::string, int> values;
  EXPECT_TRUE(node.get_parameters("a", values));
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(values.count("b.two"), 1U);
}

TEST_F(Parameters, TellTheWorldWhenTheyChange) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  const auto other = std::make_shared<rclcpp::Node>("other");
  std::vector<rcl_interfaces::msg::ParameterEvent> events;
  const auto subscription = other->create_subscription<rcl_interfaces::msg::ParameterEvent>(
      "/parameter_events", rclcpp::ParameterEventsQoS(),
      [&](const rcl_interfaces::msg::ParameterEvent& event) {
        if (event.node == "/n") events.push_back(event);
      });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(other);
  ASSERT_TRUE(spin_until(executor, [&] { return subscription->get_publisher_count() >= 2; }));
  node->declare_parameter("late", 1);
  node->set_parameter({"late", 2});
  ASSERT_TRUE(spin_until(
      executor, [&] { return !events.empty() && !events.back().changed_parameters.empty(); }));
  EXPECT_EQ(events.back().changed_parameters[0].name, "late");
  EXPECT_EQ(events.back().changed_parameters[0].value.integer_value, 2);
}

TEST_F(Parameters, MayBeUndeclaredWhereTheNodeAllowsIt) {
  auto options = arguments({"-p", "given:=5"});
  options.allow_undeclared_parameters(true).automatically_declare_parameters_from_overrides(true);
  rclcpp::Node node("n", options);
  EXPECT_EQ(node.get_parameter("given").as_int(), 5);
  EXPECT_TRUE(node.set_parameter({"new", "text"}).successful);
  EXPECT_TRUE(node.set_parameter({"new", 1.0}).successful);  // any type
  EXPECT_EQ(node.get_parameter("never").get_type(), rclcpp::PARAMETER_NOT_SET);
}

}  // namespace
}  // namespace underlay_tests
