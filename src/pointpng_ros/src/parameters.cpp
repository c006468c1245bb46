#include "parameters.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pointpng_ros {
namespace {

using pointpng::InputError;
using rcl_interfaces::msg::ParameterDescriptor;

void set_range(ParameterDescriptor& descriptor, const Limits& limits, bool is_integer) {
  if (!limits.least && !limits.most) return;
  if (is_integer) {
    rcl_interfaces::msg::IntegerRange range;
    range.from_value = limits.least ? static_cast<std::int64_t>(*limits.least)
                                    : std::numeric_limits<std::int64_t>::min();
    range.to_value = limits.most ? static_cast<std::int64_t>(*limits.most)
                                 : std::numeric_limits<std::int64_t>::max();
    range.step = 1;
    descriptor.integer_range.push_back(range);
  } else {
    rcl_interfaces::msg::FloatingPointRange range;
    range.from_value = limits.least.value_or(std::numeric_limits<double>::lowest());
    range.to_value = limits.most.value_or(std::numeric_limits<double>::max());
    descriptor.floating_point_range.push_back(range);
  }
}

/// "0.5 (from 0 to 1)": what a user can write instead of a wrong value.
std::string allowed(const rclcpp::ParameterValue& initial, const ParameterDescriptor& descriptor) {
  std::string text = fmt::format("a {} such as {}", rclcpp::to_string(initial.get_type()),
                                 rclcpp::to_string(initial));
  if (!descriptor.integer_range.empty())
    text += fmt::format(", from {} to {}", descriptor.integer_range[0].from_value,
                        descriptor.integer_range[0].to_value);
  if (!descriptor.floating_point_range.empty())
    text += fmt::format(", from {} to {}", descriptor.floating_point_range[0].from_value,
                        descriptor.floating_point_range[0].to_value);
  return text;
}

}  // namespace

ParameterDescriptor describe(const std::string& text, const Limits& limits, bool is_integer) {
  ParameterDescriptor descriptor;
  descriptor.description = text;
  descriptor.read_only = limits.fixed;
  if (!limits.choices.empty())
    descriptor.additional_constraints = fmt::format("one of: {}", fmt::join(limits.choices, ", "));
  set_range(descriptor, limits, is_integer);
  return descriptor;
}

void require_choice(const std::string& name, const rclcpp::ParameterValue& value,
                    const std::vector<std::string>& choices) {
  if (choices.empty()) return;
  const auto& given = value.get<std::string>();
  if (std::ranges::find(choices, given) == choices.end())
    throw InputError(fmt::format("parameter '{}' is one of {}, not '{}'", name,
                                 fmt::join(choices, ", "), given));
}

rclcpp::ParameterValue declare(rclcpp::Node& node, const std::string& name,
                               const rclcpp::ParameterValue& initial,
                               const ParameterDescriptor& descriptor,
                               const std::vector<std::string>& choices) {
  try {
    rclcpp::ParameterValue value = node.declare_parameter(name, initial, descriptor);
    require_choice(name, value, choices);
    return value;
  } catch (const rclcpp::exceptions::InvalidParameterValueException& wrong) {
    throw InputError(fmt::format("parameter '{}' ({}) is {}: {}", name, descriptor.description,
                                 allowed(initial, descriptor), wrong.what()));
  } catch (const rclcpp::exceptions::InvalidParameterTypeException& wrong) {
    throw InputError(fmt::format("parameter '{}' ({}) is {}: {}", name, descriptor.description,
                                 allowed(initial, descriptor), wrong.what()));
  }
}

void warn_of_unknown_parameters(rclcpp::Node& node) {
  for (const auto& [name, value] : node.get_node_parameters_interface()->get_parameter_overrides())
    if (!node.has_parameter(name) && !name.starts_with("qos_overrides."))
      RCLCPP_WARN(node.get_logger(),
                  "there is no parameter '%s'; 'ros2 param list %s' shows those that there are",
                  name.c_str(), node.get_fully_qualified_name());
}

}  // namespace pointpng_ros
