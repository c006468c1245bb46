#pragma once

#include <geometry_msgs/msg/transform_stamped.hpp>
#include <memory>
#include <rclcpp/node.hpp>
#include <tf2_msgs/msg/tf_message.hpp>
#include <vector>

#include "tf2_ros/node_of.hpp"
#include "tf2_ros/qos.hpp"

namespace tf2_ros {

/// Publishes transforms that do not change on /tf_static, for those who come later as well.
class StaticTransformBroadcaster {
 public:
  template <class NodeT>
  explicit StaticTransformBroadcaster(NodeT&& node, const rclcpp::QoS& qos = StaticBroadcasterQoS())
      : publisher_(detail::node_of(node).template create_publisher<tf2_msgs::msg::TFMessage>(
            "/tf_static", qos)) {}

  void sendTransform(const geometry_msgs::msg::TransformStamped& transform);
  void sendTransform(const std::vector<geometry_msgs::msg::TransformStamped>& transforms);

 private:
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr publisher_;
  tf2_msgs::msg::TFMessage
      sent_;  // a latecomer gets the last message only: it must hold everything
};

}  // namespace tf2_ros
