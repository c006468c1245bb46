#pragma once

#include <ostream>
#include <rcl_interfaces/msg/parameter.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/parameter_value.hpp"

namespace rclcpp {

/// A name and a value.
class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(std::string name) : name_(std::move(name)) {}
  Parameter(std::string name, ParameterValue value)
      : name_(std::move(name)), value_(std::move(value)) {}
  template <class T>
  Parameter(std::string name, T value) : Parameter(std::move(name), ParameterValue(value)) {}

  static Parameter from_parameter_msg(const rcl_interfaces::msg::Parameter& message) {
    return {message.name, ParameterValue(message.value)};
  }
  rcl_interfaces::msg::Parameter to_parameter_msg() const;

  const std::string& get_name() const { return name_; }
  ParameterType get_type() const { return value_.get_type(); }
  std::string get_type_name() const { return to_string(get_type()); }
  const ParameterValue& get_parameter_value() const { return value_; }
  rcl_interfaces::msg::ParameterValue get_value_message() const { return value_.to_value_msg(); }
  std::string value_to_string() const { return to_string(value_); }

  template <class T>
  T get_value() const {
    try {
      return value_.get<T>();
    } catch (const ParameterTypeException& error) {
      throw exceptions::InvalidParameterTypeException(name_, error.what());
    }
  }
  bool as_bool() const { return get_value<bool>(); }
  std::int64_t as_int() const { return get_value<std::int64_t>(); }
  double as_double() const { return get_value<double>(); }
  std::string as_string() const { return get_value<std::string>(); }
  std::vector<std::uint8_t> as_byte_array() const { return get_value<std::vector<std::uint8_t>>(); }
  std::vector<bool> as_bool_array() const { return get_value<std::vector<bool>>(); }
  std::vector<std::int64_t> as_integer_array() const {
    return get_value<std::vector<std::int64_t>>();
  }
  std::vector<double> as_double_array() const { return get_value<std::vector<double>>(); }
  std::vector<std::string> as_string_array() const { return get_value<std::vector<std::string>>(); }

  bool operator==(const Parameter& other) const {
    return name_ == other.name_ && value_ == other.value_;
  }
  bool operator!=(const Parameter& other) const { return !(*this == other); }

 private:
  std::string name_;
  ParameterValue value_;
};

std::ostream& operator<<(std::ostream& out, const Parameter& parameter);

}  // namespace rclcpp
