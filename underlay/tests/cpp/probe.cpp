// A node with one of everything, for clients that were not written here.

#include <chrono>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <std_msgs/msg/int64.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <tf2_ros/transform_broadcaster.h>
#include <thread>

namespace underlay_tests {

class Probe : public rclcpp::Node {
 public:
  explicit Probe(const rclcpp::NodeOptions& options) : Node("probe", options), broadcaster_(this) {
    declare_parameters();
    make_topics();
    make_services();
    clock_timer_ = create_timer(std::chrono::milliseconds(100), [this] {
      std_msgs::msg::Int64 message;
      message.data = now().nanoseconds();
      ticks_->publish(message);
    });
    RCLCPP_INFO(get_logger(), "ready");
  }

 private:
  void declare_parameters() {
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.description = "points a cell";
    descriptor.floating_point_range.resize(1);
    descriptor.floating_point_range[0].from_value = 0.0;
    descriptor.floating_point_range[0].to_value = 1.0;
    declare_parameter("voxel.size", 0.5, descriptor);

    descriptor = rcl_interfaces::msg::ParameterDescriptor();
    descriptor.integer_range.resize(1);
    descriptor.integer_range[0].from_value = 0;
    descriptor.integer_range[0].to_value = 10;
    descriptor.integer_range[0].step = 2;
    declare_parameter("even", 4, descriptor);

    descriptor = rcl_interfaces::msg::ParameterDescriptor();
    descriptor.read_only = true;
    declare_parameter("device", "cpu", descriptor);

    declare_parameter("mode", "reference");
    declare_parameter("topics", std::vector<std::string>{"a", "b"});
    declare_parameter("weights", std::vector<double>{1.0, 2.0});
    on_set_ = add_on_set_parameters_callback([](const std::vector<rclcpp::Parameter>& parameters) {
      rcl_interfaces::msg::SetParametersResult result;
      result.successful = true;
      for (const auto& parameter : parameters) {
        if (parameter.get_name() == "mode" && parameter.as_string() == "nonsense") {
          result.successful = false;
          result.reason = "mode must be reference, pair or sequence";
        }
      }
      return result;
    });
  }

  void make_topics() {
    const auto latched = rclcpp::QoS(1).transient_local();
    latched_ = create_publisher<std_msgs::msg::String>("~/latched", latched);
    std_msgs::msg::String greeting;
    greeting.data = "for those who come later";
    latched_->publish(greeting);
    ticks_ = create_publisher<std_msgs::msg::Int64>("~/ticks", 10);
    echo_ = create_publisher<std_msgs::msg::String>("echo", 10);
    text_ = create_subscription<std_msgs::msg::String>(
        "text", 10, [this](const std_msgs::msg::String& message) { echo_->publish(message); });
    points_ = create_publisher<std_msgs::msg::Int64>("points", 10);
    cloud_ = create_subscription<sensor_msgs::msg::PointCloud2>(
        "cloud", rclcpp::SensorDataQoS(),
        [this](sensor_msgs::msg::PointCloud2::ConstSharedPtr cloud) {
          std_msgs::msg::Int64 message;
          message.data = static_cast<std::int64_t>(cloud->width) * cloud->height;
          points_->publish(message);
          geometry_msgs::msg::TransformStamped transform;
          transform.header = cloud->header;
          transform.child_frame_id = "object";
          transform.transform.translation.x = 1.0;
          broadcaster_.sendTransform(transform);
        });
  }

  void make_services() {
    using std_srvs::srv::SetBool;
    using std_srvs::srv::Trigger;
    flip_ = create_service<SetBool>("~/flip", [](const std::shared_ptr<SetBool::Request> request,
                                                 std::shared_ptr<SetBool::Response> response) {
      response->success = !request->data;
      response->message = request->data ? "was true" : "was false";
    });
    slow_group_ = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
    slow_ = create_service<Trigger>(
        "~/slow",
        [](const std::shared_ptr<Trigger::Request>, std::shared_ptr<Trigger::Response> response) {
          std::this_thread::sleep_for(std::chrono::seconds(2));
          response->success = true;
        },
        rclcpp::ServicesQoS(), slow_group_);
    // Calls a service of somebody else and answers with what it said.
    client_ = create_client<Trigger>("remote");
    relay_ =
        create_service<Trigger>("~/relay", [this](std::shared_ptr<rclcpp::Service<Trigger>> service,
                                                  std::shared_ptr<rmw_request_id_t> id,
                                                  std::shared_ptr<Trigger::Request> request) {
          client_->async_send_request(request,
                                      [service, id](rclcpp::Client<Trigger>::SharedFuture answer) {
                                        service->send_response(*id, *answer.get());
                                      });
        });
  }

  tf2_ros::TransformBroadcaster broadcaster_;
  OnSetParametersCallbackHandle::SharedPtr on_set_;
  rclcpp::TimerBase::SharedPtr clock_timer_;
  rclcpp::CallbackGroup::SharedPtr slow_group_;
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr latched_;
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr echo_;
  rclcpp::Publisher<std_msgs::msg::Int64>::SharedPtr ticks_;
  rclcpp::Publisher<std_msgs::msg::Int64>::SharedPtr points_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr text_;
  rclcpp::Subscription<sensor_msgs::msg::PointCloud2>::SharedPtr cloud_;
  rclcpp::Service<std_srvs::srv::SetBool>::SharedPtr flip_;
  rclcpp::Service<std_srvs::srv::Trigger>::SharedPtr slow_;
  rclcpp::Service<std_srvs::srv::Trigger>::SharedPtr relay_;
  rclcpp::Client<std_srvs::srv::Trigger>::SharedPtr client_;
};

}  // namespace underlay_tests

RCLCPP_COMPONENTS_REGISTER_NODE(underlay_tests::Probe)

int main(int argc, char** argv) {
  int status = 0;
  try {
    rclcpp::init(argc, argv);
    rclcpp::executors::MultiThreadedExecutor executor;
    const auto node = std::make_shared<underlay_tests::Probe>(rclcpp::NodeOptions());
    executor.add_node(node);
    executor.spin();
  } catch (const std::exception& error) {
    RCLCPP_FATAL(rclcpp::get_logger("probe"), "%s", error.what());
    status = 1;
  }
  rclcpp::shutdown();
  return status;
}
