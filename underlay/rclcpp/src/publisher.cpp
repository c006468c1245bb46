#include "rclcpp/publisher.hpp"

#include <rcl/error_handling.h>

#include "rclcpp/exceptions.hpp"

namespace rclcpp {

PublisherBase::PublisherBase(node_interfaces::NodeBaseInterface& node, const std::string& topic,
                             const rosidl_message_type_support_t& type, const QoS& qos)
    : node_(node.get_shared_rcl_node_handle()), publisher_(rcl_get_zero_initialized_publisher()) {
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const rcl_ret_t ret =
      rcl_publisher_init(&publisher_, node_.get(), &type, topic.c_str(), &options);
  if (ret != RCL_RET_OK)
    exceptions::throw_from_rcl_error(ret, "could not create a publisher on '" + topic + "'");
}

PublisherBase::~PublisherBase() {
  detail::check_quietly(rcl_publisher_fini(&publisher_, node_.get()), "failed to free a publisher");
}

const char* PublisherBase::get_topic_name() const {
  return rcl_publisher_get_topic_name(&publisher_);
}

std::size_t PublisherBase::get_subscription_count() const {
  std::size_t count = 0;
  const rcl_ret_t ret = rcl_publisher_get_subscription_count(&publisher_, &count);
  if (ret == RCL_RET_OK) return count;
  // After a shutdown nobody listens any more.
  if (!rcl_publisher_is_valid(&publisher_)) {
    rcl_reset_error();
    return 0;
  }
  exceptions::throw_from_rcl_error(ret, "failed to get the subscription count");
}

QoS PublisherBase::get_actual_qos() const {
  const rmw_qos_profile_t* profile = rcl_publisher_get_actual_qos(&publisher_);
  if (!profile)
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "failed to get the publisher's qos");
  return QoS(QoSInitialization::from_rmw(*profile), *profile);
}

bool PublisherBase::wait_for_all_acked_ns(std::int64_t timeout_ns) const {
  const rcl_ret_t ret = rcl_publisher_wait_for_all_acked(&publisher_, timeout_ns);
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "failed to wait for acknowledgements");
  return true;
}

void PublisherBase::publish_raw(const void* message) {
  const rcl_ret_t ret = rcl_publish(&publisher_, message, nullptr);
  if (ret == RCL_RET_OK) return;
  // A shutdown may come between a node's work and its result: that is no error.
  if (ret == RCL_RET_PUBLISHER_INVALID && rcl_publisher_is_valid_except_context(&publisher_)) {
    const rcl_context_t* context = rcl_publisher_get_context(&publisher_);
    if (context && !rcl_context_is_valid(context)) {
      rcl_reset_error();
      return;
    }
  }
  exceptions::throw_from_rcl_error(ret, "failed to publish message");
}

}  // namespace rclcpp
