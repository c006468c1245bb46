#include "parameter_services.hpp"

#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>

namespace rclcpp::detail {
namespace {

using Parameters = node_interfaces::NodeParametersInterface;
using namespace rcl_interfaces::srv;  // NOLINT: six names

/// A service `~/name` that calls `answer(request, response)`. Names that nobody declared leave the
/// answer empty.
template <class ServiceT, class Answer>
std::shared_ptr<ServiceBase> serve(Node& node, const std::string& name, Answer answer) {
  return node.create_service<ServiceT>(
      "~/" + name,
      [answer](const std::shared_ptr<typename ServiceT::Request> request,
               std::shared_ptr<typename ServiceT::Response> response) {
        try {
          answer(*request, *response);
        } catch (const exceptions::ParameterNotDeclaredException& error) {
          RCLCPP_DEBUG(get_logger("rclcpp"), "%s", error.what());
        } catch (const exceptions::ParameterUninitializedException& error) {
          RCLCPP_DEBUG(get_logger("rclcpp"), "%s", error.what());
        }
      },
      ParametersQoS());
}

// Nothing that a client sends may end the node.
Parameters::Result try_to_set(Parameters& parameters,
                              const std::vector<rcl_interfaces::msg::Parameter>& wanted) {
  try {
    std::vector<Parameter> list;
    for (const auto& message : wanted) list.push_back(Parameter::from_parameter_msg(message));
    return parameters.set_parameters_atomically(std::move(list));
  } catch (const std::exception& error) {
    Parameters::Result result;
    result.successful = false;
    result.reason = error.what();
    return result;
  }
}

}  // namespace

ParameterServices::ParameterServices(Node& node) {
  const auto parameters = node.get_node_parameters_interface();
  services_.push_back(
      serve<GetParameters>(node, "get_parameters", [=](const auto& request, auto& response) {
        std::vector<rcl_interfaces::msg::ParameterValue> values;
        for (const auto& parameter : parameters->get_parameters(request.names))
          values.push_back(parameter.get_value_message());
        response.values = std::move(values);
      }));
  services_.push_back(serve<GetParameterTypes>(
      node, "get_parameter_types", [=](const auto& request, auto& response) {
        response.types = parameters->get_parameter_types(request.names);
      }));
  services_.push_back(
      serve<SetParameters>(node, "set_parameters", [=](const auto& request, auto& response) {
        for (const auto& parameter : request.parameters)
          response.results.push_back(try_to_set(*parameters, {parameter}));
      }));
  services_.push_back(serve<SetParametersAtomically>(
      node, "set_parameters_atomically", [=](const auto& request, auto& response) {
        response.result = try_to_set(*parameters, request.parameters);
      }));
  services_.push_back(serve<DescribeParameters>(
      node, "describe_parameters", [=](const auto& request, auto& response) {
        response.descriptors = parameters->describe_parameters(request.names);
      }));
  services_.push_back(
      serve<ListParameters>(node, "list_parameters", [=](const auto& request, auto& response) {
        response.result = parameters->list_parameters(request.prefixes, request.depth);
      }));
}

}  // namespace rclcpp::detail
