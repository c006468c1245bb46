#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/client.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_graph_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp {

namespace detail {
class ParameterServices;
class TimeSource;
}  // namespace detail

/// A node: its entities, parameters, clock and logger.
class Node : public std::enable_shared_from_this<Node> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Node);
  using PreSetParametersCallbackHandle = node_interfaces::PreSetParametersCallbackHandle;
  using OnSetParametersCallbackHandle = node_interfaces::OnSetParametersCallbackHandle;
  using PostSetParametersCallbackHandle = node_interfaces::PostSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackType =
      PostSetParametersCallbackHandle::PostSetParametersCallbackType;
  using ParameterDescriptor = rcl_interfaces::msg::ParameterDescriptor;
  using SetParametersResult = rcl_interfaces::msg::SetParametersResult;

  explicit Node(const std::string& name, const NodeOptions& options = NodeOptions());
  explicit Node(const std::string& name, const std::string& name_space,
                const NodeOptions& options = NodeOptions());
  virtual ~Node();
  RCLCPP_DISABLE_COPY(Node);

  const char* get_name() const { return base_->get_name(); }
  const char* get_namespace() const { return base_->get_namespace(); }
  const char* get_fully_qualified_name() const { return base_->get_fully_qualified_name(); }
  Logger get_logger() const;
  Clock::SharedPtr get_clock() { return clock_; }
  Clock::ConstSharedPtr get_clock() const { return clock_; }
  Time now() const { return clock_->now(); }
  const NodeOptions& get_node_options() const { return options_; }

  // Entities
  // -----------------------------------------------------------------------------------------------

  CallbackGroup::SharedPtr create_callback_group(
      CallbackGroupType type, bool automatically_add_to_executor_with_node = true) {
    return base_->create_callback_group(type, automatically_add_to_executor_with_node);
  }

  template <class MessageT>
  std::shared_ptr<Publisher<MessageT>> create_publisher(
      const std::string& topic, const QoS& qos, const PublisherOptions& = PublisherOptions()) {
    return std::make_shared<Publisher<MessageT>>(*base_, topic, qos);
  }

  template <class MessageT, class Callback>
  std::shared_ptr<Subscription<MessageT>> create_subscription(
      const std::string& topic, const QoS& qos, Callback&& callback,
      const SubscriptionOptions& options = SubscriptionOptions()) {
    auto& group = base_->group_for(options.callback_group);
    auto subscription = std::make_shared<Subscription<MessageT>>(
        *base_, topic, qos, std::forward<Callback>(callback), options);
    group.add(subscription);
    return subscription;
  }

  template <class Rep, class Period, class Callback>
  TimerBase::SharedPtr create_wall_timer(std::chrono::duration<Rep, Period> period,
                                         Callback&& callback,
                                         CallbackGroup::SharedPtr group = nullptr,
                                         bool autostart = true) {
    return detail::add_timer(*base_, std::make_shared<Clock>(RCL_STEADY_TIME),
                             std::chrono::duration_cast<std::chrono::nanoseconds>(period),
                             detail::timer_callback(std::forward<Callback>(callback)), group,
                             autostart);
  }

  /// In the node's own time, which may be simulated.
  template <class Rep, class Period, class Callback>
  TimerBase::SharedPtr create_timer(std::chrono::duration<Rep, Period> period, Callback&& callback,
                                    CallbackGroup::SharedPtr group = nullptr) {
    return detail::add_timer(*base_, clock_,
                             std::chrono::duration_cast<std::chrono::nanoseconds>(period),
                             detail::timer_callback(std::forward<Callback>(callback)), group, true);
  }

  template <class ServiceT, class Callback>
  std::shared_ptr<Service<ServiceT>> create_service(
      const std::string& name, Callback&& callback, const QoS& qos = ServicesQoS(),
      CallbackGroup::SharedPtr callback_group = nullptr) {
    auto& group = base_->group_for(callback_group);
    auto service =
        std::make_shared<Service<ServiceT>>(*base_, name, std::forward<Callback>(callback), qos);
    group.add(service);
    return service;
  }

  template <class ServiceT>
  std::shared_ptr<Client<ServiceT>> create_client(
      const std::string& name, const QoS& qos = ServicesQoS(),
      CallbackGroup::SharedPtr callback_group = nullptr) {
    auto& group = base_->group_for(callback_group);
    auto client = std::make_shared<Client<ServiceT>>(*base_, name, qos);
    group.add(client);
    return client;
  }

  // Parameters
  // ---------------------------------------------------------------------------------------------

  const ParameterValue& declare_parameter(
      const std::string& name, const ParameterValue& default_value,
      const ParameterDescriptor& descriptor = ParameterDescriptor(), bool ignore_override = false) {
    return parameters_->declare_parameter(name, default_value, descriptor, ignore_override);
  }
  const ParameterValue& declare_parameter(
      const std::string& name, ParameterType type,
      const ParameterDescriptor& descriptor = ParameterDescriptor(), bool ignore_override = false) {
    return parameters_->declare_parameter(name, type, descriptor, ignore_override);
  }
  template <class T>
  auto declare_parameter(const std::string& name, const T& default_value,
                         const ParameterDescriptor& descriptor = ParameterDescriptor(),
                         bool ignore_override = false) {
    using Value = std::conditional_t<std::is_convertible_v<T, std::string>, std::string, T>;
    return declare_parameter(name, ParameterValue(default_value), descriptor, ignore_override)
        .template get<Value>();
  }
  /// Without a default: throws ParameterUninitializedException where the user has given no value.
  template <class T>
  T declare_parameter(const std::string& name,
                      const ParameterDescriptor& descriptor = ParameterDescriptor(),
                      bool ignore_override = false) {
    const ParameterValue& value =
        declare_parameter(name, detail::parameter_type_of<T>(), descriptor, ignore_override);
    if (value.get_type() == PARAMETER_NOT_SET)
      throw exceptions::ParameterUninitializedException(name);
    return value.get<T>();
  }
  template <class T>
  std::vector<T> declare_parameters(const std::string& name_space,
                                    const std::map<std::string, T>& parameters,
                                    bool ignore_overrides = false) {
    std::vector<T> values;
    for (const auto& [name, value] : parameters)
      values.push_back(declare_parameter(name_space.empty() ? name : name_space + "." + name, value,
                                         ParameterDescriptor(), ignore_overrides));
    return values;
  }
  void undeclare_parameter(const std::string& name) { parameters_->undeclare_parameter(name); }
  bool has_parameter(const std::string& name) const { return parameters_->has_parameter(name); }

  SetParametersResult set_parameter(const Parameter& parameter) {
    return set_parameters_atomically({parameter});
  }
  std::vector<SetParametersResult> set_parameters(const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters(parameters);
  }
  SetParametersResult set_parameters_atomically(const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters_atomically(parameters);
  }

  Parameter get_parameter(const std::string& name) const {
    return parameters_->get_parameter(name);
  }
  bool get_parameter(const std::string& name, Parameter& parameter) const {
    return parameters_->get_parameter(name, parameter);
  }
  template <class T>
  bool get_parameter(const std::string& name, T& value) const {
    Parameter parameter;
    const bool found = parameters_->get_parameter(name, parameter);
    if (found) value = parameter.get_value<T>();
    return found;
  }
  template <class T>
  bool get_parameter_or(const std::string& name, T& value, const T& alternative) const {
    const bool found = get_parameter(name, value);
    if (!found) value = alternative;
    return found;
  }
  template <class T>
  T get_parameter_or(const std::string& name, const T& alternative) const {
    T value;
    get_parameter_or(name, value, alternative);
    return value;
  }
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const {
    return parameters_->get_parameters(names);
  }
  template <class T>
  bool get_parameters(const std::string& prefix, std::map<std::string, T>& values) const {
    std::map<std::string, Parameter> parameters;
    const bool found = parameters_->get_parameters_by_prefix(prefix, parameters);
    for (const auto& [name, parameter] : parameters) values[name] = parameter.template get_value<T>();
    return found;
  }
  ParameterDescriptor describe_parameter(const std::string& name) const {
    return parameters_->describe_parameters({name}).front();
  }
  std::vector<ParameterDescriptor> describe_parameters(
      const std::vector<std::string>& names) const {
    return parameters_->describe_parameters(names);
  }
  std::vector<std::uint8_t> get_parameter_types(const std::vector<std::string>& names) const {
    return parameters_->get_parameter_types(names);
  }
  rcl_interfaces::msg::ListParametersResult list_parameters(
      const std::vector<std::string>& prefixes, std::uint64_t depth) const {
    return parameters_->list_parameters(prefixes, depth);
  }

  /// A callback is called as long as its handle lives.
  [[nodiscard]] PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackType callback) {
    return parameters_->add_pre_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
      OnSetParametersCallbackType callback) {
    return parameters_->add_on_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackType callback) {
    return parameters_->add_post_set_parameters_callback(std::move(callback));
  }
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* handle) {
    parameters_->remove_pre_set_parameters_callback(handle);
  }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* handle) {
    parameters_->remove_on_set_parameters_callback(handle);
  }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* handle) {
    parameters_->remove_post_set_parameters_callback(handle);
  }

  // The graph
  // ----------------------------------------------------------------------------------------------

  std::vector<std::string> get_node_names() const;
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const;
  std::size_t count_publishers(const std::string& topic) const;
  std::size_t count_subscribers(const std::string& topic) const;
  std::vector<TopicEndpointInfo> get_publishers_info_by_topic(const std::string& topic) const;

  node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() { return base_; }
  node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface() {
    return parameters_;
  }

 private:
  void publish_event(rcl_interfaces::msg::ParameterEvent event);

  NodeOptions options_;
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  Clock::SharedPtr clock_ = std::make_shared<Clock>(RCL_ROS_TIME);
  Publisher<rcl_interfaces::msg::ParameterEvent>::SharedPtr events_;
  node_interfaces::NodeParametersInterface::SharedPtr parameters_;
  std::unique_ptr<detail::ParameterServices> parameter_services_;
  std::unique_ptr<detail::TimeSource> time_source_;
};

/// Timer with any clock and period.
template <class NodeT, class Callback>
TimerBase::SharedPtr create_timer(NodeT node, Clock::SharedPtr clock, Duration period,
                                  Callback&& callback, CallbackGroup::SharedPtr group = nullptr,
                                  bool autostart = true) {
  return detail::add_timer(*node->get_node_base_interface(), std::move(clock),
                           period.to_chrono<std::chrono::nanoseconds>(),
                           detail::timer_callback(std::forward<Callback>(callback)), group,
                           autostart);
}

}  // namespace rclcpp
