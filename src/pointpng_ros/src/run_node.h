#pragma once

#include <rclcpp/node.hpp>

namespace pointpng_ros {

/// Runs a node alone in its process until it is told to stop. Returns the status to exit with: 2
/// after a wrong parameter, 1 after any other failure; launch files restart the node after the
/// latter only. (The program that rclcpp_components makes of a component aborts instead.)
int run_node(int argc, char** argv,
             rclcpp::Node::SharedPtr (*make)(const rclcpp::NodeOptions& options));

}  // namespace pointpng_ros
