#include "rclcpp/service.hpp"

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "rclcpp/exceptions.hpp"

namespace rclcpp {

ServiceBase::ServiceBase(node_interfaces::NodeBaseInterface& node, const std::string& name,
                         const rosidl_service_type_support_t& type, const QoS& qos)
    : node_(node.get_shared_rcl_node_handle()), service_(rcl_get_zero_initialized_service()) {
  rcl_service_options_t options = rcl_service_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const rcl_ret_t ret = rcl_service_init(&service_, node_.get(), &type, name.c_str(), &options);
  if (ret != RCL_RET_OK)
    exceptions::throw_from_rcl_error(ret, "could not create the service '" + name + "'");
}

ServiceBase::~ServiceBase() {
  detail::check_quietly(rcl_service_fini(&service_, node_.get()), "failed to free a service");
}

const char* ServiceBase::get_service_name() const {
  return rcl_service_get_service_name(&service_);
}

void ServiceBase::add_to(rcl_wait_set_t& set) {
  detail::check(rcl_wait_set_add_service(&set, &service_, &index_), "failed to wait for a service");
}

bool ServiceBase::take(void* request, rmw_request_id_t& id) {
  const rcl_ret_t ret = rcl_take_request(&service_, &id, request);
  if (ret == RCL_RET_SERVICE_TAKE_FAILED) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "failed to take a request");
  return true;
}

// A client that has gone, or a shutdown in the meantime, is no reason to end the node.
void ServiceBase::send(rmw_request_id_t& id, void* response) {
  const rcl_ret_t ret = rcl_send_response(&service_, &id, response);
  if (ret == RCL_RET_TIMEOUT || !rcl_service_is_valid(&service_)) {
    RCUTILS_LOG_WARN_NAMED("rclcpp", "no answer sent to '%s': %s", get_service_name(),
                           rcl_get_error_string().str);
    rcl_reset_error();
    return;
  }
  detail::check(ret, "failed to send a response");
}

}  // namespace rclcpp
