#include "rclcpp/client.hpp"

#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <thread>

#include "rclcpp/exceptions.hpp"

namespace rclcpp {

ClientBase::ClientBase(node_interfaces::NodeBaseInterface& node, const std::string& name,
                       const rosidl_service_type_support_t& type, const QoS& qos)
    : context_(node.get_context()),
      node_(node.get_shared_rcl_node_handle()),
      client_(rcl_get_zero_initialized_client()) {
  rcl_client_options_t options = rcl_client_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const rcl_ret_t ret = rcl_client_init(&client_, node_.get(), &type, name.c_str(), &options);
  if (ret != RCL_RET_OK)
    exceptions::throw_from_rcl_error(ret, "could not create a client of '" + name + "'");
}

ClientBase::~ClientBase() {
  detail::check_quietly(rcl_client_fini(&client_, node_.get()), "failed to free a client");
}

const char* ClientBase::get_service_name() const { return rcl_client_get_service_name(&client_); }

bool ClientBase::service_is_ready() const {
  bool ready = false;
  const rcl_ret_t ret = rcl_service_server_is_available(node_.get(), &client_, &ready);
  if (ret == RCL_RET_NODE_INVALID) {
    rcl_reset_error();  // after a shutdown
    return false;
  }
  detail::check(ret, "failed to ask whether a service is ready");
  return ready;
}

bool ClientBase::wait_for_service_ns(std::chrono::nanoseconds timeout) {
  const auto start = std::chrono::steady_clock::now();
  while (context_->is_valid()) {
    if (service_is_ready()) return true;
    if (timeout.count() >= 0 && std::chrono::steady_clock::now() - start >= timeout) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void ClientBase::add_to(rcl_wait_set_t& set) {
  detail::check(rcl_wait_set_add_client(&set, &client_, &index_), "failed to wait for a client");
}

std::int64_t ClientBase::send(const void* request) {
  std::int64_t id = 0;
  detail::check(rcl_send_request(&client_, request, &id), "failed to send request");
  return id;
}

bool ClientBase::take(void* response, rmw_request_id_t& id) {
  const rcl_ret_t ret = rcl_take_response(&client_, &id, response);
  if (ret == RCL_RET_CLIENT_TAKE_FAILED) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "failed to take a response");
  return true;
}

}  // namespace rclcpp
