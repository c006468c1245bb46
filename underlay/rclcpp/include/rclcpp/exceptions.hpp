#pragma once

#include <rcl/types.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace rclcpp::exceptions {

/// A call of rcl has failed.
class RCLError : public std::runtime_error {
 public:
  RCLError(rcl_ret_t ret, const std::string& message) : std::runtime_error(message), ret(ret) {}
  rcl_ret_t ret;
};

class RCLInvalidArgument : public std::invalid_argument {
 public:
  RCLInvalidArgument(rcl_ret_t ret, const std::string& message)
      : std::invalid_argument(message), ret(ret) {}
  rcl_ret_t ret;
};

class NameValidationError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
class InvalidNodeNameError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class InvalidNamespaceError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class InvalidTopicNameError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class InvalidServiceNameError : public NameValidationError {
  using NameValidationError::NameValidationError;
};

class UnknownROSArgsError : public std::runtime_error {
 public:
  explicit UnknownROSArgsError(std::vector<std::string> unknown);
  const std::vector<std::string> unknown_ros_args;
};

class InvalidParametersException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class InvalidParameterValueException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class InvalidParameterTypeException : public std::runtime_error {
 public:
  InvalidParameterTypeException(const std::string& name, const std::string& message)
      : std::runtime_error("parameter '" + name + "' has invalid type: " + message) {}
};
class ParameterAlreadyDeclaredException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterNotDeclaredException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterImmutableException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterModifiedInCallbackException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterUninitializedException : public std::runtime_error {
 public:
  explicit ParameterUninitializedException(const std::string& name)
      : std::runtime_error("parameter '" + name + "' is not initialized") {}
};

/// Throws what fits `ret`, with rcl's own words, and resets rcl's error.
[[noreturn]] void throw_from_rcl_error(rcl_ret_t ret, const std::string& prefix = "");

}  // namespace rclcpp::exceptions

namespace rclcpp::detail {

inline void check(rcl_ret_t ret, const char* what) {
  if (ret != RCL_RET_OK) exceptions::throw_from_rcl_error(ret, what);
}

/// For destructors: a failure is logged.
void check_quietly(rcl_ret_t ret, const char* what) noexcept;

}  // namespace rclcpp::detail
