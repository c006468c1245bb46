#include "tf2_ros/transform_listener.h"

#include <sstream>

#include "tf2_ros/buffer.h"

namespace tf2_ros {

TransformListener::TransformListener(tf2::BufferCore& buffer, bool spin_thread) : buffer_(buffer) {
  std::ostringstream name;
  name << "transform_listener_impl_" << std::hex << reinterpret_cast<std::uintptr_t>(this);
  rclcpp::NodeOptions options;
  // Remapping the program's node must not rename this one.
  options.arguments({"--ros-args", "-r", "__node:=" + name.str(), "--"});
  options.start_parameter_event_publisher(false).start_parameter_services(false);
  own_node_ = rclcpp::Node::make_shared("_", options);
  listen(*own_node_, spin_thread, DynamicListenerQoS(), StaticListenerQoS());
}

void TransformListener::listen(rclcpp::Node& node, bool spin_thread, const rclcpp::QoS& qos,
                               const rclcpp::QoS& static_qos) {
  rclcpp::SubscriptionOptions options;
  if (spin_thread) {
    group_ = node.create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
    options.callback_group = group_;
  }
  dynamic_ = node.create_subscription<Message>(
      "/tf", qos, [this](const Message& message) { receive(message, false); }, options);
  static_ = node.create_subscription<Message>(
      "/tf_static", static_qos, [this](const Message& message) { receive(message, true); },
      options);
  if (!spin_thread) return;
  executor_ = std::make_shared<rclcpp::executors::SingleThreadedExecutor>(
      rclcpp::ExecutorOptions{node.get_node_base_interface()->get_context()});
  executor_->add_callback_group(group_, node.get_node_base_interface());
  thread_ = std::thread([executor = executor_, stopped = stop_.get_future().share()] {
    executor->spin_until_future_complete(stopped);
  });
  if (auto* buffer = dynamic_cast<Buffer*>(&buffer_)) buffer->setUsingDedicatedThread(true);
}

TransformListener::~TransformListener() {
  if (!thread_.joinable()) return;
  stop_.set_value();
  executor_->cancel();
  thread_.join();
}

void TransformListener::receive(const Message& message, bool is_static) {
  for (const auto& transform : message.transforms)
    buffer_.setTransform(transform, "Authority undetectable", is_static);
}

}  // namespace tf2_ros
