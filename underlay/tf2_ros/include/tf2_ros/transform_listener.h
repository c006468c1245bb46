#pragma once

#include <future>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <tf2/buffer_core.h>
#include <tf2_msgs/msg/tf_message.hpp>
#include <thread>

#include "tf2_ros/node_of.hpp"
#include "tf2_ros/qos.hpp"

namespace tf2_ros {

/// Fills a buffer from /tf and /tf_static.
class TransformListener {
 public:
  /// With a node of its own.
  explicit TransformListener(tf2::BufferCore& buffer, bool spin_thread = true);

  /// With the given node; spin_thread: in a thread of the listener's own, else in the node's
  /// executor.
  template <class NodeT>
  TransformListener(tf2::BufferCore& buffer, NodeT&& node, bool spin_thread = true,
                    const rclcpp::QoS& qos = DynamicListenerQoS(),
                    const rclcpp::QoS& static_qos = StaticListenerQoS())
      : buffer_(buffer) {
    listen(detail::node_of(node), spin_thread, qos, static_qos);
  }

  ~TransformListener();
  TransformListener(const TransformListener&) = delete;
  TransformListener& operator=(const TransformListener&) = delete;

 private:
  using Message = tf2_msgs::msg::TFMessage;

  void listen(rclcpp::Node& node, bool spin_thread, const rclcpp::QoS& qos,
              const rclcpp::QoS& static_qos);
  void receive(const Message& message, bool is_static);

  tf2::BufferCore& buffer_;
  rclcpp::Node::SharedPtr own_node_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::Subscription<Message>::SharedPtr dynamic_;
  rclcpp::Subscription<Message>::SharedPtr static_;
  std::shared_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
  std::promise<void> stop_;
  std::thread thread_;
};

}  // namespace tf2_ros
