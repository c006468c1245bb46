#pragma once

#include <rclcpp/node.hpp>
#include <type_traits>

namespace tf2_ros::detail {

/// Nodes are given as a reference, a pointer or a shared pointer.
template <class NodeT>
rclcpp::Node& node_of(NodeT&& node) {
  if constexpr (std::is_base_of_v<rclcpp::Node, std::decay_t<NodeT>>)
    return node;
  else
    return *node;
}

}  // namespace tf2_ros::detail
