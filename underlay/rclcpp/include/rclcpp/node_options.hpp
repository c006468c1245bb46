#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/parameter.hpp"

namespace rclcpp {

/// How a node starts: its own arguments, parameters, and the parts that it has. Intra-process
/// communication, topic statistics and the QoS of the node's own topics are left out.
class NodeOptions {
 public:
  NodeOptions() = default;

#define RCLCPP_DETAIL_OPTION(Type, name, initial) \
 public:                                          \
  const Type& name() const { return name##_; }    \
  NodeOptions& name(const Type& value) {          \
    name##_ = value;                              \
    return *this;                                 \
  }                                               \
                                                  \
 private:                                         \
  Type name##_ = initial

  RCLCPP_DETAIL_OPTION(Context::SharedPtr, context, contexts::get_global_default_context());
  RCLCPP_DETAIL_OPTION(std::vector<std::string>, arguments, {});
  RCLCPP_DETAIL_OPTION(std::vector<Parameter>, parameter_overrides, {});
  RCLCPP_DETAIL_OPTION(bool, use_global_arguments, true);
  RCLCPP_DETAIL_OPTION(bool, enable_rosout, true);
  RCLCPP_DETAIL_OPTION(bool, start_parameter_services, true);
  RCLCPP_DETAIL_OPTION(bool, start_parameter_event_publisher, true);
  RCLCPP_DETAIL_OPTION(bool, use_clock_thread, true);
  RCLCPP_DETAIL_OPTION(bool, allow_undeclared_parameters, false);
  RCLCPP_DETAIL_OPTION(bool, automatically_declare_parameters_from_overrides, false);
#undef RCLCPP_DETAIL_OPTION

 public:
  std::vector<Parameter>& parameter_overrides() { return parameter_overrides_; }
  template <class T>
  NodeOptions& append_parameter_override(const std::string& name, const T& value) {
    parameter_overrides_.emplace_back(name, ParameterValue(value));
    return *this;
  }
};

}  // namespace rclcpp
