#include <map>
#include <stdexcept>

#include "rclcpp_components/register_node_macro.hpp"

namespace rclcpp_components {
namespace {

// Made by the first library that needs it, whatever the order in which libraries are loaded.
std::map<std::string, NodeFactory>& factories() {
  static std::map<std::string, NodeFactory> known;
  return known;
}

}  // namespace

bool register_component(const std::string& class_name, NodeFactory factory) {
  factories()[class_name] = std::move(factory);
  return true;
}

NodeInstance create_component(const std::string& class_name, const rclcpp::NodeOptions& options) {
  const auto found = factories().find(class_name);
  if (found != factories().end()) return found->second(options);
  std::string names;
  for (const auto& [name, factory] : factories()) names += " " + name;
  throw std::runtime_error("no component of class " + class_name + "; registered are:" + names);
}

}  // namespace rclcpp_components
