#pragma once

#include <functional>
#include <memory>
#include <rcl/subscription.h>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

/// Events of the QoS, content filters and statistics are left out.
struct SubscriptionOptions {
  CallbackGroup::SharedPtr callback_group = nullptr;
  bool ignore_local_publications = false;
};

class SubscriptionBase : public detail::Entity {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(SubscriptionBase);

  SubscriptionBase(node_interfaces::NodeBaseInterface& node, const std::string& topic,
                   const rosidl_message_type_support_t& type, const QoS& qos,
                   const SubscriptionOptions& options);
  ~SubscriptionBase() override;
  RCLCPP_DISABLE_COPY(SubscriptionBase);

  const char* get_topic_name() const;
  std::size_t get_publisher_count() const;
  QoS get_actual_qos() const;

  Kind kind() const override { return Kind::kSubscription; }
  void add_to(rcl_wait_set_t& set) override;
  bool is_ready(const rcl_wait_set_t& set) const override {
    return set.subscriptions[index_] != nullptr;
  }

 protected:
  /// False where another thread was faster.
  bool take(void* message, MessageInfo& info);

 private:
  std::shared_ptr<rcl_node_t> node_;
  rcl_subscription_t subscription_;
};

namespace detail {

/// Any callback for messages as the one that a subscription calls; others don't compile.
template <class MessageT, class Callback>
std::function<void(std::unique_ptr<MessageT>, const MessageInfo&)> message_callback(
    Callback callback) {
  using Shared = std::shared_ptr<const MessageT>;
  using Unique = std::unique_ptr<MessageT>;
  // Asked in this order: a shared pointer to const can be made of a unique pointer, not the
  // reverse.
  if constexpr (std::is_invocable_v<Callback&, const MessageT&>)
    return [=](Unique message, const MessageInfo&) mutable { callback(*message); };
  else if constexpr (std::is_invocable_v<Callback&, const MessageT&, const MessageInfo&>)
    return [=](Unique message, const MessageInfo& info) mutable { callback(*message, info); };
  else if constexpr (std::is_invocable_v<Callback&, Shared>)
    return
        [=](Unique message, const MessageInfo&) mutable { callback(Shared(std::move(message))); };
  else if constexpr (std::is_invocable_v<Callback&, Shared, const MessageInfo&>)
    return [=](Unique message, const MessageInfo& info) mutable {
      callback(Shared(std::move(message)), info);
    };
  else if constexpr (std::is_invocable_v<Callback&, Unique>)
    return [=](Unique message, const MessageInfo&) mutable { callback(std::move(message)); };
  else if constexpr (std::is_invocable_v<Callback&, Unique, const MessageInfo&>)
    return [=](Unique message, const MessageInfo& info) mutable {
      callback(std::move(message), info);
    };
  else
    static_assert(
        !sizeof(Callback),
        "a subscription's callback takes const MessageT&, std::shared_ptr<const MessageT> or "
        "std::unique_ptr<MessageT>, and const rclcpp::MessageInfo& where wanted");
}

}  // namespace detail

template <class MessageT>
class Subscription : public SubscriptionBase {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Subscription<MessageT>);

  template <class Callback>
  Subscription(node_interfaces::NodeBaseInterface& node, const std::string& topic, const QoS& qos,
               Callback&& callback, const SubscriptionOptions& options)
      : SubscriptionBase(node, topic,
                         *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), qos,
                         options),
        callback_(detail::message_callback<MessageT>(std::forward<Callback>(callback))) {}

  void execute() override {
    auto message = std::make_unique<MessageT>();
    MessageInfo info;
    if (SubscriptionBase::take(message.get(), info)) callback_(std::move(message), info);
  }

  /// For polling without an executor: false where there is no message.
  bool take(MessageT& message, MessageInfo& info) { return SubscriptionBase::take(&message, info); }

 private:
  std::function<void(std::unique_ptr<MessageT>, const MessageInfo&)> callback_;
};

}  // namespace rclcpp
