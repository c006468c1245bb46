#pragma once

#include <memory>
#include <rcl/publisher.h>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <utility>

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

/// Events of the QoS and loaned messages are left out.
struct PublisherOptions {};

class PublisherBase {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(PublisherBase);

  PublisherBase(node_interfaces::NodeBaseInterface& node, const std::string& topic,
                const rosidl_message_type_support_t& type, const QoS& qos);
  virtual ~PublisherBase();
  RCLCPP_DISABLE_COPY(PublisherBase);

  const char* get_topic_name() const;
  std::size_t get_subscription_count() const;
  std::size_t get_queue_size() const { return get_actual_qos().depth(); }
  QoS get_actual_qos() const;

  /// False where subscriptions did not confirm every message in time; a negative timeout waits for
  /// ever.
  template <class Rep = std::int64_t, class Period = std::milli>
  bool wait_for_all_acked(
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) const {
    return wait_for_all_acked_ns(std::chrono::nanoseconds(timeout).count());
  }

 protected:
  void publish_raw(const void* message);

 private:
  bool wait_for_all_acked_ns(std::int64_t timeout_ns) const;

  std::shared_ptr<rcl_node_t> node_;
  rcl_publisher_t publisher_;
};

template <class MessageT>
class Publisher : public PublisherBase {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Publisher<MessageT>);

  Publisher(node_interfaces::NodeBaseInterface& node, const std::string& topic, const QoS& qos)
      : PublisherBase(node, topic,
                      *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), qos) {}

  void publish(const MessageT& message) { publish_raw(&message); }
  void publish(std::unique_ptr<MessageT> message) { publish_raw(message.get()); }
};

}  // namespace rclcpp
