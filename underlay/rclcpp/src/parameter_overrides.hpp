#pragma once

#include <map>
#include <string>

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/parameter_value.hpp"

namespace rclcpp::detail {

/// What parameter files and -p say for a node, and over that what its options say.
std::map<std::string, ParameterValue> parameter_overrides(node_interfaces::NodeBaseInterface& node,
                                                          const NodeOptions& options);

/// True where a node's name fits a pattern of a parameter file: * is one part of the name, ** any
/// number.
bool node_matches(const std::string& pattern, const std::string& full_name);

}  // namespace rclcpp::detail
