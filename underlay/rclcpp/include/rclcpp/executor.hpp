#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <rcl/wait.h>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/future_return_code.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp {

class Node;

struct ExecutorOptions {
  Context::SharedPtr context = contexts::get_global_default_context();
};

/// Waits for the entities of nodes and callback groups, and runs their callbacks.
class Executor {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Executor);

  explicit Executor(const ExecutorOptions& options = ExecutorOptions());
  virtual ~Executor();
  RCLCPP_DISABLE_COPY(Executor);

  /// Until a shutdown or cancel().
  virtual void spin() = 0;

  void add_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  void add_node(const std::shared_ptr<Node>& node, bool notify = true);
  void remove_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  void remove_node(const std::shared_ptr<Node>& node, bool notify = true);
  void add_callback_group(CallbackGroup::SharedPtr group,
                          node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  void remove_callback_group(CallbackGroup::SharedPtr group, bool notify = true);

  /// One callback; waits for it up to the timeout, without end where that is negative.
  void spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));
  /// What is ready now; 0: without a limit of time.
  void spin_some(std::chrono::nanoseconds max_duration = std::chrono::nanoseconds(0));
  /// The same, and again until nothing is ready.
  void spin_all(std::chrono::nanoseconds max_duration);

  template <class FutureT, class Rep = std::int64_t, class Period = std::milli>
  FutureReturnCode spin_until_future_complete(
      const FutureT& future,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return spin_until(
        [&future] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
        std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

  void cancel();
  bool is_spinning() const { return spinning_; }

 protected:
  /// A callback that is due, and its group, which is taken until release().
  struct Work {
    std::shared_ptr<detail::Entity> entity;
    CallbackGroup::SharedPtr group;
  };

  /// Marks this executor as spinning; throws where it does already.
  class Spinning {
   public:
    explicit Spinning(Executor& executor);
    ~Spinning() { executor_.spinning_ = false; }
    RCLCPP_DISABLE_COPY(Spinning);

   private:
    Executor& executor_;
  };

  bool active() const { return spinning_ && context_->is_valid(); }
  /// False where nothing came in time, or something else woke us. Safe for several threads.
  bool next(Work& work, std::chrono::nanoseconds timeout);
  void run(Work& work);
  void wake() { interrupt_.trigger(); }

 private:
  FutureReturnCode spin_until(const std::function<bool()>& done, std::chrono::nanoseconds timeout);
  void spin_ready(std::chrono::nanoseconds max_duration, bool repeat);
  bool take_ready(Work& work);
  void wait(std::chrono::nanoseconds timeout);
  std::vector<CallbackGroup::SharedPtr> groups();
  void associate_new_groups();
  void drop(const CallbackGroup::SharedPtr& group);

  Context::SharedPtr context_;
  OnShutdownCallbackHandle shutdown_handle_;
  std::atomic_bool spinning_{false};
  GuardCondition interrupt_;

  std::mutex members_mutex_;  // nodes_ and groups_
  std::vector<node_interfaces::NodeBaseInterface::WeakPtr> nodes_;
  std::vector<CallbackGroup::WeakPtr> groups_;

  std::mutex wait_mutex_;  // wait_set_ and ready_
  rcl_wait_set_t wait_set_;
  std::deque<Work> ready_;
};

}  // namespace rclcpp
