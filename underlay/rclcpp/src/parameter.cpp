#include "rclcpp/parameter.hpp"

#include <iomanip>
#include <sstream>

namespace rclcpp {
namespace {

template <class Vector>
std::string join(const Vector& values, const char* quote = "") {
  std::ostringstream text;
  text << std::boolalpha << "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text << ", ";
    if constexpr (std::is_same_v<typename Vector::value_type, std::uint8_t>)
      text << "0x" << std::hex << int{values[i]};
    else
      text << quote << values[i] << quote;
  }
  text << "]";
  return text.str();
}

}  // namespace

std::string to_string(ParameterType type) {
  switch (type) {
    case PARAMETER_NOT_SET:
      return "not set";
    case PARAMETER_BOOL:
      return "bool";
    case PARAMETER_INTEGER:
      return "integer";
    case PARAMETER_DOUBLE:
      return "double";
    case PARAMETER_STRING:
      return "string";
    case PARAMETER_BYTE_ARRAY:
      return "byte_array";
    case PARAMETER_BOOL_ARRAY:
      return "bool_array";
    case PARAMETER_INTEGER_ARRAY:
      return "integer_array";
    case PARAMETER_DOUBLE_ARRAY:
      return "double_array";
    case PARAMETER_STRING_ARRAY:
      return "string_array";
  }
  return "unknown type";
}

std::ostream& operator<<(std::ostream& out, ParameterType type) { return out << to_string(type); }

std::string to_string(const ParameterValue& value) {
  const auto& message = value.to_value_msg();
  switch (value.get_type()) {
    case PARAMETER_NOT_SET:
      return "not set";
    case PARAMETER_BOOL:
      return message.bool_value ? "true" : "false";
    case PARAMETER_INTEGER:
      return std::to_string(message.integer_value);
    case PARAMETER_DOUBLE:
      return std::to_string(message.double_value);
    case PARAMETER_STRING:
      return message.string_value;
    case PARAMETER_BYTE_ARRAY:
      return join(message.byte_array_value);
    case PARAMETER_BOOL_ARRAY:
      return join(message.bool_array_value);
    case PARAMETER_INTEGER_ARRAY:
      return join(message.integer_array_value);
    case PARAMETER_DOUBLE_ARRAY:
      return join(message.double_array_value);
    case PARAMETER_STRING_ARRAY:
      return join(message.string_array_value, "\"");
  }
  return "unknown type";
}

ParameterValue::ParameterValue(const rcl_interfaces::msg::ParameterValue& message)
    : message_(message) {
  if (message.type > PARAMETER_STRING_ARRAY)
    throw std::runtime_error("unknown type of parameter: " + std::to_string(message.type));
}

rcl_interfaces::msg::Parameter Parameter::to_parameter_msg() const {
  rcl_interfaces::msg::Parameter message;
  message.name = name_;
  message.value = value_.to_value_msg();
  return message;
}

std::ostream& operator<<(std::ostream& out, const Parameter& parameter) {
  return out << R"({"name": ")" << parameter.get_name() << R"(", "type": ")"
             << parameter.get_type_name() << R"(", "value": ")" << parameter.value_to_string()
             << "\"}";
}

}  // namespace rclcpp
