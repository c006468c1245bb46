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

/// "must be an integer in [64, 16384], got 10": what a user can write instead of a wrong value.
std::string complaint(rclcpp::Node& node, const std::string& name,
                      const rclcpp::ParameterValue& initial,
                      const ParameterDescriptor& descriptor) {
  const std::string type = rclcpp::to_string(initial.get_type());
  std::string text =
      fmt::format("parameter '{}' must be {} {}", name, type.starts_with('i') ? "an" : "a", type);
  const auto add_range = [&](const auto& ranges) {
    if (!ranges.empty())
      text += fmt::format(" in [{}, {}]", ranges[0].from_value, ranges[0].to_value);
  };
  add_range(descriptor.integer_range);
  add_range(descriptor.floating_point_range);
  const auto& given = node.get_node_parameters_interface()->get_parameter_overrides();
  if (const auto found = given.find(name); found != given.end())
    text += fmt::format(", got {}", rclcpp::to_string(found->second));
  return fmt::format("{} ({})", text, descriptor.description);
}

}  // namespace

Limits fixed(std::optional<double> least, std::optional<double> most) {
  return {.least = least, .most = most, .choices = {}, .fixed = true};
}

Limits limits_of(const pointpng::Range& range, bool is_fixed) {
  return {.least = range.least, .most = range.most, .choices = {}, .fixed = is_fixed};
}

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
    throw InputError(fmt::format("parameter '{}' must be one of {}, got '{}'", name,
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
  } catch (const rclcpp::exceptions::InvalidParameterValueException&) {
    throw InputError(complaint(node, name, initial, descriptor));
  } catch (const rclcpp::exceptions::InvalidParameterTypeException&) {
    throw InputError(complaint(node, name, initial, descriptor));
  }
}

void parse(const rclcpp::ParameterValue& value, pointpng::Refinement& member) {
  member = pointpng::parse_refinement(value.get<std::string>());
}

void parse(const rclcpp::ParameterValue& value, pointpng::Device& member) {
  member = pointpng::parse_device(value.get<std::string>());
}

void parse(const rclcpp::ParameterValue& value, pointpng::Effort& member) {
  member = pointpng::parse_effort(value.get<std::string>());
}

void parse(const rclcpp::ParameterValue& value, Eigen::Vector3d& member) {
  const auto& numbers = value.get<std::vector<double>>();
  if (numbers.size() != 3)
    throw InputError(fmt::format(
        "crop_min, crop_max and object_up must have 3 numbers (x, y, z), got {}", numbers.size()));
  member = Eigen::Vector3d(numbers.data());
}

void validate(const pointpng::ComputeOptions& compute) {
  if (compute.device != pointpng::Device::kCuda) return;
  const pointpng::LearningInfo info = pointpng::learning_info();
  if (!info.cuda_usable)
    throw InputError("device cuda can't be used: " +
                     (info.problem.empty() ? info.cuda_problem : info.problem));
}

void warn_of_unknown_parameters(rclcpp::Node& node) {
  for (const auto& [name, value] : node.get_node_parameters_interface()->get_parameter_overrides())
    if (!node.has_parameter(name) && !name.starts_with("qos_overrides."))
      RCLCPP_WARN(node.get_logger(),
                  "there is no parameter '%s'; 'ros2 param list %s' lists those of this node",
                  name.c_str(), node.get_fully_qualified_name());
}

}  // namespace pointpng_ros
