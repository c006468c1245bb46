#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <rcl/node.h>
#include <string>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/node_options.hpp"

namespace rclcpp::node_interfaces {

/// The rcl node and its callback groups: what executors and entities need of a node.
class NodeBaseInterface : public std::enable_shared_from_this<NodeBaseInterface> {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeBaseInterface);
  using CallbackGroupFunction = std::function<void(const CallbackGroup::SharedPtr&)>;

  NodeBaseInterface(const std::string& name, const std::string& name_space,
                    const NodeOptions& options);
  RCLCPP_DISABLE_COPY(NodeBaseInterface);

  const char* get_name() const;
  const char* get_namespace() const;
  const char* get_fully_qualified_name() const;
  Context::SharedPtr get_context() { return context_; }

  rcl_node_t* get_rcl_node_handle() { return node_.get(); }
  std::shared_ptr<rcl_node_t> get_shared_rcl_node_handle() { return node_; }

  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type, bool add_with_node = true);
  CallbackGroup::SharedPtr get_default_callback_group() { return default_group_; }
  bool callback_group_in_node(const CallbackGroup::SharedPtr& group);
  void for_each_callback_group(const CallbackGroupFunction& function);

  /// The group for a new entity: `group`, which must be this node's, or else the default group.
  CallbackGroup& group_for(const CallbackGroup::SharedPtr& group);

  /// The executor looks at the node anew.
  void trigger_notify_guard_condition() { default_group_->changed().trigger(); }

  std::atomic_bool& get_associated_with_executor_atomic() { return associated_; }

  std::string resolve_topic_or_service_name(const std::string& name, bool is_service,
                                            bool only_expand = false) const;

 private:
  Context::SharedPtr context_;
  std::shared_ptr<rcl_node_t> node_;
  CallbackGroup::SharedPtr default_group_;
  std::atomic_bool associated_{false};
  std::mutex mutex_;
  std::vector<CallbackGroup::WeakPtr> groups_;
};

}  // namespace rclcpp::node_interfaces
