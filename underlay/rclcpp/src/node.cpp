#include "rclcpp/node.hpp"

#include <rcl/graph.h>

#include "parameter_overrides.hpp"
#include "parameter_services.hpp"
#include "rclcpp/exceptions.hpp"
#include "time_source.hpp"

namespace rclcpp {

Node::Node(const std::string& name, const NodeOptions& options) : Node(name, "", options) {}

Node::Node(const std::string& name, const std::string& name_space, const NodeOptions& options)
    : options_(options),
      base_(std::make_shared<node_interfaces::NodeBaseInterface>(name, name_space, options)) {
  if (options.start_parameter_event_publisher())
    events_ = create_publisher<rcl_interfaces::msg::ParameterEvent>("/parameter_events",
                                                                    ParameterEventsQoS());
  parameters_ = std::make_shared<node_interfaces::NodeParametersInterface>(
      detail::parameter_overrides(*base_, options), options.allow_undeclared_parameters(),
      [this](auto event) { publish_event(std::move(event)); });
  if (options.automatically_declare_parameters_from_overrides()) {
    ParameterDescriptor any_type;
    any_type.dynamic_typing = true;
    for (const auto& [overridden, value] : parameters_->get_parameter_overrides())
      declare_parameter(overridden, value, any_type, true);
  }
  time_source_ = std::make_unique<detail::TimeSource>(*this);
  if (options.start_parameter_services())
    parameter_services_ = std::make_unique<detail::ParameterServices>(*this);
}

Node::~Node() = default;

Logger Node::get_logger() const {
  return rclcpp::get_logger(rcl_node_get_logger_name(base_->get_rcl_node_handle()));
}

void Node::publish_event(rcl_interfaces::msg::ParameterEvent event) {
  if (!events_) return;
  event.node = get_fully_qualified_name();
  event.stamp = now();
  events_->publish(event);
}

std::vector<std::string> Node::get_node_names() const {
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcutils_string_array_t names = rcutils_get_zero_initialized_string_array();
  rcutils_string_array_t spaces = rcutils_get_zero_initialized_string_array();
  detail::check(rcl_get_node_names(base_->get_rcl_node_handle(), allocator, &names, &spaces),
                "failed to get node names");
  std::vector<std::string> result;
  for (std::size_t i = 0; i < names.size; ++i) {
    const std::string space = spaces.data[i];
    result.push_back(space + (space.back() == '/' ? "" : "/") + names.data[i]);
  }
  detail::check_quietly(rcutils_string_array_fini(&names), "failed to free node names");
  detail::check_quietly(rcutils_string_array_fini(&spaces), "failed to free namespaces");
  return result;
}

std::map<std::string, std::vector<std::string>> Node::get_topic_names_and_types() const {
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_names_and_types_t found = rcl_get_zero_initialized_names_and_types();
  detail::check(
      rcl_get_topic_names_and_types(base_->get_rcl_node_handle(), &allocator, false, &found),
      "failed to get topic names and types");
  std::map<std::string, std::vector<std::string>> result;
  for (std::size_t i = 0; i < found.names.size; ++i)
    result[found.names.data[i]].assign(found.types[i].data,
                                       found.types[i].data + found.types[i].size);
  detail::check_quietly(rcl_names_and_types_fini(&found), "failed to free topic names");
  return result;
}

std::size_t Node::count_publishers(const std::string& topic) const {
  std::size_t count = 0;
  detail::check(
      rcl_count_publishers(base_->get_rcl_node_handle(),
                           base_->resolve_topic_or_service_name(topic, false).c_str(), &count),
      "could not count publishers");
  return count;
}

std::size_t Node::count_subscribers(const std::string& topic) const {
  std::size_t count = 0;
  detail::check(
      rcl_count_subscribers(base_->get_rcl_node_handle(),
                            base_->resolve_topic_or_service_name(topic, false).c_str(), &count),
      "could not count subscribers");
  return count;
}

std::vector<TopicEndpointInfo> Node::get_publishers_info_by_topic(const std::string& topic) const {
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  rcl_topic_endpoint_info_array_t found = rcl_get_zero_initialized_topic_endpoint_info_array();
  detail::check(rcl_get_publishers_info_by_topic(
                    base_->get_rcl_node_handle(), &allocator,
                    base_->resolve_topic_or_service_name(topic, false).c_str(), false, &found),
                "could not get the publishers of a topic");
  std::vector<TopicEndpointInfo> result;
  for (std::size_t i = 0; i < found.size; ++i) result.emplace_back(found.info_array[i]);
  detail::check_quietly(rcl_topic_endpoint_info_array_fini(&found, &allocator),
                        "failed to free the list of publishers");
  return result;
}

}  // namespace rclcpp
