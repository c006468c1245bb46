#pragma once

#include <cstdint>
#include <ostream>
#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rcl_interfaces/msg/parameter_value.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rclcpp {

enum ParameterType : std::uint8_t {
  PARAMETER_NOT_SET = rcl_interfaces::msg::ParameterType::PARAMETER_NOT_SET,
  PARAMETER_BOOL = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL,
  PARAMETER_INTEGER = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER,
  PARAMETER_DOUBLE = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE,
  PARAMETER_STRING = rcl_interfaces::msg::ParameterType::PARAMETER_STRING,
  PARAMETER_BYTE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BYTE_ARRAY,
  PARAMETER_BOOL_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL_ARRAY,
  PARAMETER_INTEGER_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER_ARRAY,
  PARAMETER_DOUBLE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE_ARRAY,
  PARAMETER_STRING_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_STRING_ARRAY,
};

std::string to_string(ParameterType type);
std::ostream& operator<<(std::ostream& out, ParameterType type);

class ParameterTypeException : public std::runtime_error {
 public:
  ParameterTypeException(ParameterType expected, ParameterType actual)
      : std::runtime_error("expected [" + to_string(expected) + "] got [" + to_string(actual) +
                           "]") {}
};

class ParameterValue;

namespace detail {

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

/// The kind of parameter that holds a C++ type. Types that none holds don't compile.
template <class T>
constexpr ParameterType parameter_type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return PARAMETER_BOOL;
  else if constexpr (std::is_integral_v<T>)
    return PARAMETER_INTEGER;
  else if constexpr (std::is_floating_point_v<T>)
    return PARAMETER_DOUBLE;
  else if constexpr (std::is_convertible_v<T, std::string>)
    return PARAMETER_STRING;
  else if constexpr (std::is_same_v<T, std::vector<std::uint8_t>>)
    return PARAMETER_BYTE_ARRAY;
  else if constexpr (std::is_same_v<T, std::vector<bool>>)
    return PARAMETER_BOOL_ARRAY;
  else if constexpr (is_vector<T>::value) {
    static_assert(is_vector<T>::value);
    constexpr ParameterType element = parameter_type_of<typename T::value_type>();
    if constexpr (element == PARAMETER_INTEGER)
      return PARAMETER_INTEGER_ARRAY;
    else if constexpr (element == PARAMETER_DOUBLE)
      return PARAMETER_DOUBLE_ARRAY;
    else if constexpr (element == PARAMETER_STRING)
      return PARAMETER_STRING_ARRAY;
    else
      static_assert(!sizeof(T), "no parameter holds this type");
  } else
    static_assert(!sizeof(T), "no parameter holds this type");
}

}  // namespace detail

/// The value of a parameter, and its type.
class ParameterValue {
 public:
  ParameterValue() = default;
  ParameterValue(const rcl_interfaces::msg::ParameterValue& message);  // NOLINT: as in rclcpp
  explicit ParameterValue(bool value) { set(PARAMETER_BOOL).bool_value = value; }
  explicit ParameterValue(int value) : ParameterValue(std::int64_t{value}) {}
  explicit ParameterValue(std::int64_t value) { set(PARAMETER_INTEGER).integer_value = value; }
  explicit ParameterValue(float value) : ParameterValue(double{value}) {}
  explicit ParameterValue(double value) { set(PARAMETER_DOUBLE).double_value = value; }
  explicit ParameterValue(const std::string& value) { set(PARAMETER_STRING).string_value = value; }
  explicit ParameterValue(const char* value) : ParameterValue(std::string(value)) {}
  explicit ParameterValue(const std::vector<std::uint8_t>& value) {
    set(PARAMETER_BYTE_ARRAY).byte_array_value = value;
  }
  explicit ParameterValue(const std::vector<bool>& value) {
    set(PARAMETER_BOOL_ARRAY).bool_array_value = value;
  }
  explicit ParameterValue(const std::vector<int>& value) {
    set(PARAMETER_INTEGER_ARRAY).integer_array_value.assign(value.begin(), value.end());
  }
  explicit ParameterValue(const std::vector<std::int64_t>& value) {
    set(PARAMETER_INTEGER_ARRAY).integer_array_value = value;
  }
  explicit ParameterValue(const std::vector<float>& value) {
    set(PARAMETER_DOUBLE_ARRAY).double_array_value.assign(value.begin(), value.end());
  }
  explicit ParameterValue(const std::vector<double>& value) {
    set(PARAMETER_DOUBLE_ARRAY).double_array_value = value;
  }
  explicit ParameterValue(const std::vector<std::string>& value) {
    set(PARAMETER_STRING_ARRAY).string_array_value = value;
  }

  ParameterType get_type() const { return static_cast<ParameterType>(message_.type); }
  const rcl_interfaces::msg::ParameterValue& to_value_msg() const { return message_; }
  bool operator==(const ParameterValue& other) const { return message_ == other.message_; }
  bool operator!=(const ParameterValue& other) const { return !(*this == other); }

  /// The value as a C++ type; throws ParameterTypeException where it is another.
  template <class T>
  T get() const {
    if constexpr (std::is_same_v<T, ParameterValue>) {
      return *this;
    } else {
      constexpr ParameterType expected = detail::parameter_type_of<T>();
      if (get_type() != expected) throw ParameterTypeException(expected, get_type());
      const auto& value = field<expected>();
      if constexpr (detail::is_vector<T>::value)
        return T(value.begin(), value.end());
      else
        return static_cast<T>(value);
    }
  }
  template <ParameterType type>
  auto get() const {
    if (get_type() != type) throw ParameterTypeException(type, get_type());
    return field<type>();
  }

 private:
  rcl_interfaces::msg::ParameterValue& set(ParameterType type) {
    message_.type = type;
    return message_;
  }
  template <ParameterType type>
  const auto& field() const {
    if constexpr (type == PARAMETER_BOOL)
      return message_.bool_value;
    else if constexpr (type == PARAMETER_INTEGER)
      return message_.integer_value;
    else if constexpr (type == PARAMETER_DOUBLE)
      return message_.double_value;
    else if constexpr (type == PARAMETER_STRING)
      return message_.string_value;
    else if constexpr (type == PARAMETER_BYTE_ARRAY)
      return message_.byte_array_value;
    else if constexpr (type == PARAMETER_BOOL_ARRAY)
      return message_.bool_array_value;
    else if constexpr (type == PARAMETER_INTEGER_ARRAY)
      return message_.integer_array_value;
    else if constexpr (type == PARAMETER_DOUBLE_ARRAY)
      return message_.double_array_value;
    else
      return message_.string_array_value;
  }

  rcl_interfaces::msg::ParameterValue message_;
};

std::string to_string(const ParameterValue& value);

}  // namespace rclcpp
