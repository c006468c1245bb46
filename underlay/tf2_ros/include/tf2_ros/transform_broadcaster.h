#pragma once

#include <geometry_msgs/msg/transform_stamped.hpp>
#include <memory>
#include <rclcpp/node.hpp>
#include <tf2_msgs/msg/tf_message.hpp>
#include <vector>

#include "tf2_ros/node_of.hpp"
#include "tf2_ros/qos.hpp"

namespace tf2_ros {

/// Publishes transforms on /tf.
class TransformBroadcaster {
 public:
  template <class NodeT>
  explicit TransformBroadcaster(NodeT&& node, const rclcpp::QoS& qos = DynamicBroadcasterQoS())
      : publisher_(detail::node_of(node).template create_publisher<tf2_msgs::msg::TFMessage>(
            "/tf", qos)) {}

  void sendTransform(const geometry_msgs::msg::TransformStamped& transform);
  void sendTransform(const std::vector<geometry_msgs::msg::TransformStamped>& transforms);

 private:
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr publisher_;
};

}  // namespace tf2_ros
