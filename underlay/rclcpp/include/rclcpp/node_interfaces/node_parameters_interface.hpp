#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <string>
#include <vector>

#include "rclcpp/macros.hpp"
#include "rclcpp/parameter.hpp"

namespace rclcpp::node_interfaces {

struct PreSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_ALIASES_ONLY(PreSetParametersCallbackHandle);
  using PreSetParametersCallbackType = std::function<void(std::vector<Parameter>&)>;
  PreSetParametersCallbackType callback;
};

struct OnSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_ALIASES_ONLY(OnSetParametersCallbackHandle);
  using OnSetParametersCallbackType =
      std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter>&)>;
  OnSetParametersCallbackType callback;
};

struct PostSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_ALIASES_ONLY(PostSetParametersCallbackHandle);
  using PostSetParametersCallbackType = std::function<void(const std::vector<Parameter>&)>;
  PostSetParametersCallbackType callback;
};

/// A node's parameters: what was declared, what the user overrides, who wants to be asked and told.
class NodeParametersInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeParametersInterface);
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;
  using Result = rcl_interfaces::msg::SetParametersResult;
  using EventSink = std::function<void(rcl_interfaces::msg::ParameterEvent)>;

  NodeParametersInterface(std::map<std::string, ParameterValue> overrides, bool allow_undeclared,
                          EventSink publish_event);
  RCLCPP_DISABLE_COPY(NodeParametersInterface);

  const ParameterValue& declare_parameter(const std::string& name,
                                          const ParameterValue& default_value,
                                          Descriptor descriptor, bool ignore_override);
  const ParameterValue& declare_parameter(const std::string& name, ParameterType type,
                                          Descriptor descriptor, bool ignore_override);
  void undeclare_parameter(const std::string& name);
  bool has_parameter(const std::string& name) const;

  std::vector<Result> set_parameters(const std::vector<Parameter>& parameters);
  Result set_parameters_atomically(std::vector<Parameter> parameters);

  Parameter get_parameter(const std::string& name) const;
  bool get_parameter(const std::string& name, Parameter& parameter) const;
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const;
  bool get_parameters_by_prefix(const std::string& prefix,
                                std::map<std::string, Parameter>& parameters) const;
  std::vector<Descriptor> describe_parameters(const std::vector<std::string>& names) const;
  std::vector<std::uint8_t> get_parameter_types(const std::vector<std::string>& names) const;
  rcl_interfaces::msg::ListParametersResult list_parameters(
      const std::vector<std::string>& prefixes, std::uint64_t depth) const;
  const std::map<std::string, ParameterValue>& get_parameter_overrides() const {
    return overrides_;
  }

  PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackHandle::PreSetParametersCallbackType callback);
  OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
      OnSetParametersCallbackHandle::OnSetParametersCallbackType callback);
  PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackHandle::PostSetParametersCallbackType callback);
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* handle);
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* handle);
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* handle);

 private:
  struct Declared {
    ParameterValue value;
    Descriptor descriptor;
  };
  class CallbackScope;

  const ParameterValue& declare(const std::string& name, const ParameterValue& initial,
                                Descriptor descriptor, bool ignore_override);
  Result check_and_ask(const std::vector<Parameter>& parameters,
                       const std::map<std::string, Declared>& declared);
  void refuse_inside_callback() const;
  const Declared* find(const std::string& name) const;

  mutable std::recursive_mutex mutex_;
  std::map<std::string, Declared> parameters_;
  std::map<std::string, ParameterValue> overrides_;
  bool allow_undeclared_;
  bool in_callback_ = false;
  EventSink publish_event_;
  // The newest callback is asked first.
  std::list<PreSetParametersCallbackHandle::WeakPtr> pre_set_;
  std::list<OnSetParametersCallbackHandle::WeakPtr> on_set_;
  std::list<PostSetParametersCallbackHandle::WeakPtr> post_set_;
};

}  // namespace rclcpp::node_interfaces
