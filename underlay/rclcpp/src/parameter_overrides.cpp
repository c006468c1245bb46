#include "parameter_overrides.hpp"

#include <rcl/arguments.h>
#include <rcl_yaml_param_parser/parser.h>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {
namespace {

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool matches(const std::vector<std::string>& pattern, std::size_t p,
             const std::vector<std::string>& name, std::size_t n) {
  if (p == pattern.size()) return n == name.size();
  if (pattern[p] == "**") {
    for (std::size_t skipped = n; skipped <= name.size(); ++skipped)
      if (matches(pattern, p + 1, name, skipped)) return true;
    return false;
  }
  if (n == name.size() || (pattern[p] != "*" && pattern[p] != name[n])) return false;
  return matches(pattern, p + 1, name, n + 1);
}

template <class Element, class Array>
std::vector<Element> to_vector(const Array& array) {
  return std::vector<Element>(array.values, array.values + array.size);
}

ParameterValue value_of(const rcl_variant_t& value) {
  if (value.bool_value) return ParameterValue(*value.bool_value);
  if (value.integer_value) return ParameterValue(*value.integer_value);
  if (value.double_value) return ParameterValue(*value.double_value);
  if (value.string_value) return ParameterValue(value.string_value);
  if (value.byte_array_value)
    return ParameterValue(to_vector<std::uint8_t>(*value.byte_array_value));
  if (value.bool_array_value) return ParameterValue(to_vector<bool>(*value.bool_array_value));
  if (value.integer_array_value)
    return ParameterValue(to_vector<std::int64_t>(*value.integer_array_value));
  if (value.double_array_value) return ParameterValue(to_vector<double>(*value.double_array_value));
  if (value.string_array_value) {
    const auto& strings = *value.string_array_value;
    return ParameterValue(std::vector<std::string>(strings.data, strings.data + strings.size));
  }
  throw exceptions::InvalidParametersException("a parameter without a value");
}

void add_overrides(const rcl_arguments_t& arguments, const std::string& node_name,
                   std::map<std::string, ParameterValue>& overrides) {
  rcl_params_t* params = nullptr;
  check(rcl_arguments_get_param_overrides(&arguments, &params),
        "failed to read parameter overrides");
  if (!params) return;
  const std::unique_ptr<rcl_params_t, void (*)(rcl_params_t*)> owner(params,
                                                                     rcl_yaml_node_struct_fini);
  for (std::size_t n = 0; n < params->num_nodes; ++n) {
    if (!node_matches(params->node_names[n], node_name)) continue;
    const rcl_node_params_t& node = params->params[n];
    for (std::size_t p = 0; p < node.num_params; ++p)
      overrides[node.parameter_names[p]] = value_of(node.parameter_values[p]);
  }
}

}  // namespace

bool node_matches(const std::string& pattern, const std::string& full_name) {
  return matches(parts_of(pattern), 0, parts_of(full_name), 0);
}

std::map<std::string, ParameterValue> parameter_overrides(node_interfaces::NodeBaseInterface& node,
                                                          const NodeOptions& options) {
  std::map<std::string, ParameterValue> overrides;
  const std::string name = node.get_fully_qualified_name();
  if (options.use_global_arguments())
    add_overrides(node.get_context()->get_rcl_context()->global_arguments, name, overrides);
  add_overrides(rcl_node_get_options(node.get_rcl_node_handle())->arguments, name, overrides);
  for (const auto& parameter : options.parameter_overrides())
    overrides[parameter.get_name()] = parameter.get_parameter_value();
  return overrides;
}

}  // namespace rclcpp::detail
