#include "rclcpp/subscription.hpp"

#include <rcl/error_handling.h>

#include "rclcpp/exceptions.hpp"

namespace rclcpp {

SubscriptionBase::SubscriptionBase(node_interfaces::NodeBaseInterface& node,
                                   const std::string& topic,
                                   const rosidl_message_type_support_t& type, const QoS& qos,
                                   const SubscriptionOptions& wanted)
    : node_(node.get_shared_rcl_node_handle()),
      subscription_(rcl_get_zero_initialized_subscription()) {
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  options.rmw_subscription_options.ignore_local_publications = wanted.ignore_local_publications;
  const rcl_ret_t ret =
      rcl_subscription_init(&subscription_, node_.get(), &type, topic.c_str(), &options);
  detail::check_quietly(rcl_subscription_options_fini(&options),
                        "failed to free subscription options");
  if (ret != RCL_RET_OK)
    exceptions::throw_from_rcl_error(ret, "could not create a subscription on '" + topic + "'");
}

SubscriptionBase::~SubscriptionBase() {
  detail::check_quietly(rcl_subscription_fini(&subscription_, node_.get()),
                        "failed to free a subscription");
}

const char* SubscriptionBase::get_topic_name() const {
  return rcl_subscription_get_topic_name(&subscription_);
}

std::size_t SubscriptionBase::get_publisher_count() const {
  std::size_t count = 0;
  detail::check(rcl_subscription_get_publisher_count(&subscription_, &count),
                "failed to get the publisher count");
  return count;
}

QoS SubscriptionBase::get_actual_qos() const {
  const rmw_qos_profile_t* profile = rcl_subscription_get_actual_qos(&subscription_);
  if (!profile)
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "failed to get the subscription's qos");
  return QoS(QoSInitialization::from_rmw(*profile), *profile);
}

void SubscriptionBase::add_to(rcl_wait_set_t& set) {
  detail::check(rcl_wait_set_add_subscription(&set, &subscription_, &index_),
                "failed to wait for a subscription");
}

bool SubscriptionBase::take(void* message, MessageInfo& info) {
  const rcl_ret_t ret = rcl_take(&subscription_, message, &info.get_rmw_message_info(), nullptr);
  if (ret == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "failed to take a message");
  return true;
}

}  // namespace rclcpp
