#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/guard_condition.hpp"

namespace rclcpp {

enum class CallbackGroupType { MutuallyExclusive, Reentrant };

/// Callbacks that an executor with several threads runs one at a time, or not.
class CallbackGroup {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(CallbackGroup);

  CallbackGroup(CallbackGroupType type, Context::SharedPtr context, bool add_with_node)
      : type_(type), add_with_node_(add_with_node), changed_(std::move(context)) {}
  RCLCPP_DISABLE_COPY(CallbackGroup);

  CallbackGroupType type() const { return type_; }
  bool automatically_add_to_executor_with_node() const { return add_with_node_; }
  std::atomic_bool& can_be_taken_from() { return can_be_taken_from_; }
  std::atomic_bool& get_associated_with_executor_atomic() { return associated_; }

  /// The entities that still live. Adding one wakes the executor.
  std::vector<std::shared_ptr<detail::Entity>> entities();
  void add(const std::shared_ptr<detail::Entity>& entity);

  /// Triggered whenever the executor should look at this group anew.
  GuardCondition& changed() { return changed_; }

 private:
  const CallbackGroupType type_;
  const bool add_with_node_;
  std::atomic_bool can_be_taken_from_{true};
  std::atomic_bool associated_{false};
  GuardCondition changed_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<detail::Entity>> entities_;
};

}  // namespace rclcpp
