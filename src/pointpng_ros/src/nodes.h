#pragma once

#include <rclcpp/node.hpp>

namespace pointpng_ros {

// One function a node, each in the file of its name: all that an executable has to know of it.
// They throw `pointpng::InputError` for a wrong parameter, which has been told by then.
rclcpp::Node::SharedPtr make_pose_node(const rclcpp::NodeOptions& options);
rclcpp::Node::SharedPtr make_pretrain_node(const rclcpp::NodeOptions& options);
rclcpp::Node::SharedPtr make_replay_node(const rclcpp::NodeOptions& options);

}  // namespace pointpng_ros
