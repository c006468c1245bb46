#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

using std_msgs::msg::String;
using std_srvs::srv::SetBool;

class Topics : public RosTest {
 protected:
  void SetUp() override {
    RosTest::SetUp();
    node_ = std::make_shared<rclcpp::Node>("n");
    executor_ = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
    executor_->add_node(node_);
  }
  void TearDown() override {
    executor_.reset();
    node_.reset();
    RosTest::TearDown();
  }
  static String text(const std::string& data) {
    String message;
    message.data = data;
    return message;
  }

  rclcpp::Node::SharedPtr node_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
};

TEST_F(Topics, CarryMessagesToEveryKindOfCallback) {
  std::vector<std::string> got(4);
  const auto publisher = node_->create_publisher<String>("t", 10);
  const auto by_reference = node_->create_subscription<String>(
      "t", 10, [&](const String& message) { got[0] = message.data; });
  const auto by_shared = node_->create_subscription<String>(
      "t", 10, [&](const String::ConstSharedPtr& message) { got[1] = message->data; });
  const auto by_unique = node_->create_subscription<String>(
      "t", 10, [&](String::UniquePtr message) { got[2] = message->data; });
  const auto with_info = node_->create_subscription<String>(
      "t", 10, [&](const String& message, const rclcpp::MessageInfo& info) {
        EXPECT_GT(info.get_rmw_message_info().source_timestamp, 0);
        got[3] = message.data;
      });
  ASSERT_TRUE(spin_until(*executor_, [&] { return publisher->get_subscription_count() == 4; }));
  publisher->publish(std::make_unique<String>(text("x")));
  EXPECT_TRUE(spin_until(*executor_, [&] { return got == std::vector<std::string>(4, "x"); }));
}

TEST_F(Topics, KeepTheirLastMessageForLatecomersWhenTransientLocal) {
  const auto qos = rclcpp::QoS(1).transient_local();
  const auto publisher = node_->create_publisher<String>("latched", qos);
  publisher->publish(text("first"));
  publisher->publish(text("last"));
  std::vector<std::string> got;
  const auto subscription = node_->create_subscription<String>(
      "latched", qos, [&](const String& message) { got.push_back(message.data); });
  ASSERT_TRUE(spin_until(*executor_, [&] { return !got.empty(); }));
  EXPECT_EQ(got, std::vector<std::string>{"last"});
}

TEST_F(Topics, AreExpandedRemappedAndPutIntoNamespaces) {
  rclcpp::Node node("eye", "robot", arguments({"-r", "cloud:=points", "-r", "__node:=left"}));
  EXPECT_STREQ(node.get_fully_qualified_name(), "/robot/left");
  EXPECT_STREQ(node.create_publisher<String>("cloud", 1)->get_topic_name(), "/robot/points");
  EXPECT_STREQ(node.create_publisher<String>("~/pose", 1)->get_topic_name(), "/robot/left/pose");
  EXPECT_STREQ(node.create_publisher<String>("/tf", 1)->get_topic_name(), "/tf");
  EXPECT_THROW(node.create_publisher<String>("not a name", 1),
               rclcpp::exceptions::InvalidTopicNameError);
  EXPECT_THROW(rclcpp::Node("not a name"), rclcpp::exceptions::InvalidNodeNameError);
}

TEST_F(Topics, HaveTheQualityThatWasAskedFor) {
  const auto subscription =
      node_->create_subscription<String>("t", rclcpp::SensorDataQoS(), [](const String&) {});
  EXPECT_EQ(subscription->get_actual_qos().reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  const auto publisher =
      node_->create_publisher<String>("u", rclcpp::QoS(rclcpp::KeepLast(3)).transient_local());
  EXPECT_EQ(publisher->get_actual_qos().durability(), rclcpp::DurabilityPolicy::TransientLocal);
  EXPECT_EQ(publisher->get_actual_qos().depth(), 3U);
}

TEST_F(Topics, TellWhoPublishesThemAndHow) {
  EXPECT_TRUE(node_->get_publishers_info_by_topic("t").empty());
  const auto publisher = node_->create_publisher<String>("t", rclcpp::SensorDataQoS());
  std::vector<rclcpp::TopicEndpointInfo> found;
  ASSERT_TRUE(spin_until(*executor_, [&] {
    found = node_->get_publishers_info_by_topic("t");
    return found.size() == 1;
  }));
  EXPECT_EQ(found[0].node_name(), "n");
  EXPECT_EQ(found[0].node_namespace(), "/");
  EXPECT_EQ(found[0].topic_type(), "std_msgs/msg/String");
  EXPECT_EQ(found[0].qos_profile().reliability(), rclcpp::ReliabilityPolicy::BestEffort);
}

TEST_F(Topics, EndWithTheirOwners) {
  int calls = 0;
  const auto publisher = node_->create_publisher<String>("t", 10);
  auto subscription = node_->create_subscription<String>("t", 10, [&](const String&) { ++calls; });
  ASSERT_TRUE(spin_until(*executor_, [&] { return publisher->get_subscription_count() == 1; }));
  subscription.reset();
  ASSERT_TRUE(spin_until(*executor_, [&] { return publisher->get_subscription_count() == 0; }));
  publisher->publish(text("into the void"));
  executor_->spin_some();
  EXPECT_EQ(calls, 0);
}

TEST_F(Topics, MayBePublishedToAfterTheShutdown) {
  const auto publisher = node_->create_publisher<String>("t", 10);
  rclcpp::shutdown();
  EXPECT_NO_THROW(publisher->publish(text("too late")));
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
}

TEST_F(Topics, ServicesAnswerFuturesAndCallbacks) {
  const auto service = node_->create_service<SetBool>(
      "flip",
      [](const std::shared_ptr<SetBool::Request> request,
         std::shared_ptr<SetBool::Response> response) { response->success = !request->data; });
  const auto client = node_->create_client<SetBool>("flip");
  ASSERT_TRUE(client->wait_for_service(15s));
  auto request = std::make_shared<SetBool::Request>();
  request->data = true;
  auto answer = client->async_send_request(request);
  ASSERT_EQ(executor_->spin_until_future_complete(answer, 15s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_FALSE(answer.get()->success);
  bool called = false;
  client->async_send_request(request, [&](rclcpp::Client<SetBool>::SharedFuture future) {
    called = true;
    EXPECT_FALSE(future.get()->success);
  });
  EXPECT_TRUE(spin_until(*executor_, [&] { return called; }));
}

TEST_F(Topics, ServicesMayAnswerLater) {
  std::shared_ptr<rmw_request_id_t> waiting;
  const auto service = node_->create_service<SetBool>(
      "later", [&](std::shared_ptr<rclcpp::Service<SetBool>>, std::shared_ptr<rmw_request_id_t> id,
                   std::shared_ptr<SetBool::Request>) { waiting = id; });
  const auto client = node_->create_client<SetBool>("later");
  ASSERT_TRUE(client->wait_for_service(15s));
  auto answer = client->async_send_request(std::make_shared<SetBool::Request>());
  ASSERT_TRUE(spin_until(*executor_, [&] { return waiting != nullptr; }));
  EXPECT_EQ(executor_->spin_until_future_complete(answer, 50ms), rclcpp::FutureReturnCode::TIMEOUT);
  SetBool::Response response;
  response.message = "at last";
  service->send_response(*waiting, response);
  ASSERT_EQ(executor_->spin_until_future_complete(answer, 15s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(answer.get()->message, "at last");
}

TEST_F(Topics, ClientsDoNotWaitForeverForAServiceThatIsNotThere) {
  const auto client = node_->create_client<SetBool>("nobody");
  EXPECT_FALSE(client->wait_for_service(50ms));
  const auto answer = client->async_send_request(std::make_shared<SetBool::Request>());
  EXPECT_TRUE(client->remove_pending_request(answer.request_id));
  EXPECT_FALSE(client->remove_pending_request(answer.request_id));
}

}  // namespace
}  // namespace underlay_tests
