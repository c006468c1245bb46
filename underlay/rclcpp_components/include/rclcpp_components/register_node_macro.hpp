#pragma once

#include <functional>
#include <memory>
#include <rclcpp/node.hpp>
#include <string>

namespace rclcpp_components {

/// A component that runs, whatever its class.
struct NodeInstance {
  std::shared_ptr<void> node;
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base;
};

using NodeFactory = std::function<NodeInstance(const rclcpp::NodeOptions&)>;

/// Called while a library is loaded. Returns true, for a variable to be initialised with.
bool register_component(const std::string& class_name, NodeFactory factory);

/// Throws std::runtime_error, naming those that there are, for a class that nobody registered.
NodeInstance create_component(const std::string& class_name, const rclcpp::NodeOptions& options);

}  // namespace rclcpp_components

#define RCLCPP_COMPONENTS_DETAIL_JOIN2(a, b) a##b
#define RCLCPP_COMPONENTS_DETAIL_JOIN(a, b) RCLCPP_COMPONENTS_DETAIL_JOIN2(a, b)

/// Makes a node class, whose constructor takes rclcpp::NodeOptions, a component.
#define RCLCPP_COMPONENTS_REGISTER_NODE(NodeClass)                                               \
  namespace {                                                                                    \
  [[maybe_unused]] const bool RCLCPP_COMPONENTS_DETAIL_JOIN(component_registered_, __LINE__) =   \
      rclcpp_components::register_component(#NodeClass, [](const rclcpp::NodeOptions& options) { \
        auto node = std::make_shared<NodeClass>(options);                                        \
        return rclcpp_components::NodeInstance{node, node->get_node_base_interface()};           \
      });                                                                                        \
  }
