#pragma once

#include <rclcpp/node_options.hpp>
#include <type_traits>

/// Makes a node class, whose constructor takes rclcpp::NodeOptions, a component. There is no
/// container here that could load it: that it could be one is all that is checked.
#define RCLCPP_COMPONENTS_REGISTER_NODE(NodeClass)                              \
  static_assert(std::is_constructible_v<NodeClass, const rclcpp::NodeOptions&>, \
                #NodeClass " has no constructor that takes rclcpp::NodeOptions");
