#pragma once

#include <rclcpp/node.hpp>

namespace pointpng_ros {

// One function per node, in the file of its name: all that its executable has to know. They throw
// `pointpng::InputError` for a wrong parameter, after logging it.
rclcpp::Node::SharedPtr make_pose_node(const rclcpp::NodeOptions& options);
rclcpp::Node::SharedPtr make_pretrain_node(const rclcpp::NodeOptions& options);
rclcpp::Node::SharedPtr make_replay_node(const rclcpp::NodeOptions& options);

}  // namespace pointpng_ros
