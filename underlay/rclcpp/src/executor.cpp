#include "rclcpp/executor.hpp"

#include <algorithm>
#include <rcl/error_handling.h>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp {
namespace {

using Steady = std::chrono::steady_clock;

// What is left of a timeout; negative ones have no end.
std::chrono::nanoseconds left_of(std::chrono::nanoseconds timeout, Steady::time_point start) {
  if (timeout.count() < 0) return timeout;
  return std::max(std::chrono::nanoseconds(0), timeout - (Steady::now() - start));
}

template <class T>
bool erase(std::vector<std::weak_ptr<T>>& pointers, const std::shared_ptr<T>& wanted) {
  const auto before = pointers.size();
  pointers.erase(std::remove_if(pointers.begin(), pointers.end(),
                                [&](const auto& known) { return known.lock() == wanted; }),
                 pointers.end());
  return pointers.size() != before;
}

}  // namespace

std::string to_string(const FutureReturnCode& code) {
  switch (code) {
    case FutureReturnCode::SUCCESS:
      return "SUCCESS (0)";
    case FutureReturnCode::INTERRUPTED:
      return "INTERRUPTED (1)";
    case FutureReturnCode::TIMEOUT:
      return "TIMEOUT (2)";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, const FutureReturnCode& code) {
  return out << to_string(code);
}

Executor::Executor(const ExecutorOptions& options)
    : context_(options.context),
      interrupt_(options.context),
      wait_set_(rcl_get_zero_initialized_wait_set()) {
  detail::check(rcl_wait_set_init(&wait_set_, 0, 0, 0, 0, 0, 0, context_->get_rcl_context().get(),
                                  rcl_get_default_allocator()),
                "failed to create wait set");
  shutdown_handle_ = context_->add_on_shutdown_callback([this] { wake(); });
}

Executor::~Executor() {
  context_->remove_on_shutdown_callback(shutdown_handle_);
  for (const auto& known : groups_)
    if (const auto group = known.lock()) group->get_associated_with_executor_atomic() = false;
  for (const auto& known : nodes_)
    if (const auto node = known.lock()) node->get_associated_with_executor_atomic() = false;
  detail::check_quietly(rcl_wait_set_fini(&wait_set_), "failed to free a wait set");
}

void Executor::add_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool) {
  if (node->get_associated_with_executor_atomic().exchange(true))
    throw std::runtime_error(std::string("Node '") + node->get_fully_qualified_name() +
                             "' has already been added to an executor.");
  const std::lock_guard<std::mutex> lock(members_mutex_);
  nodes_.push_back(node);
  associate_new_groups();
  wake();
}

void Executor::add_node(const std::shared_ptr<Node>& node, bool notify) {
  add_node(node->get_node_base_interface(), notify);
}

void Executor::remove_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool) {
  const std::lock_guard<std::mutex> lock(members_mutex_);
  if (!erase(nodes_, node))
    throw std::runtime_error(std::string("Node '") + node->get_fully_qualified_name() +
                             "' needs to be associated with this executor.");
  node->for_each_callback_group([this](const auto& group) {
    if (group->automatically_add_to_executor_with_node()) drop(group);
  });
  node->get_associated_with_executor_atomic() = false;
  wake();
}

void Executor::remove_node(const std::shared_ptr<Node>& node, bool notify) {
  remove_node(node->get_node_base_interface(), notify);
}

void Executor::add_callback_group(CallbackGroup::SharedPtr group,
                                  node_interfaces::NodeBaseInterface::SharedPtr, bool) {
  if (group->get_associated_with_executor_atomic().exchange(true))
    throw std::runtime_error("Callback group has already been added to an executor.");
  const std::lock_guard<std::mutex> lock(members_mutex_);
  groups_.push_back(group);
  wake();
}

void Executor::remove_callback_group(CallbackGroup::SharedPtr group, bool) {
  const std::lock_guard<std::mutex> lock(members_mutex_);
  drop(group);
  wake();
}

void Executor::drop(const CallbackGroup::SharedPtr& group) {
  if (erase(groups_, group)) group->get_associated_with_executor_atomic() = false;
}

// Groups may be created after their node was added.
void Executor::associate_new_groups() {
  for (const auto& known : nodes_) {
    const auto node = known.lock();
    if (!node) continue;
    node->for_each_callback_group([this](const auto& group) {
      if (group->automatically_add_to_executor_with_node() &&
          !group->get_associated_with_executor_atomic().exchange(true))
        groups_.push_back(group);
    });
  }
}

std::vector<CallbackGroup::SharedPtr> Executor::groups() {
  const std::lock_guard<std::mutex> lock(members_mutex_);
  associate_new_groups();
  std::vector<CallbackGroup::SharedPtr> living;
  for (const auto& known : groups_)
    if (auto group = known.lock()) living.push_back(std::move(group));
  groups_.assign(living.begin(), living.end());
  return living;
}

// Fills ready_. What it still held is not lost: it will be found ready again.
void Executor::wait(std::chrono::nanoseconds timeout) {
  ready_.clear();
  const auto waited_groups = groups();
  std::vector<Work> candidates;
  std::size_t counts[4] = {};
  for (const auto& group : waited_groups) {
    if (!group->can_be_taken_from()) continue;
    for (auto& entity : group->entities()) {
      ++counts[static_cast<int>(entity->kind())];
      candidates.push_back({std::move(entity), group});
    }
  }
  detail::check(rcl_wait_set_resize(&wait_set_, counts[0], waited_groups.size() + 1, counts[1],
                                    counts[2], counts[3], 0),
                "failed to resize the wait set");
  detail::check(rcl_wait_set_clear(&wait_set_), "failed to clear the wait set");
  const auto add = [this](const GuardCondition& guard) {
    detail::check(
        rcl_wait_set_add_guard_condition(&wait_set_, &guard.get_rcl_guard_condition(), nullptr),
        "failed to wait for a guard condition");
  };
  add(interrupt_);
  for (const auto& group : waited_groups) add(group->changed());
  for (const auto& candidate : candidates) candidate.entity->add_to(wait_set_);

  const rcl_ret_t ret = rcl_wait(&wait_set_, timeout.count());
  if (ret == RCL_RET_TIMEOUT) return;
  detail::check(ret, "rcl_wait() failed");
  for (auto& candidate : candidates)
    if (candidate.entity->is_ready(wait_set_)) ready_.push_back(std::move(candidate));
}

bool Executor::take_ready(Work& work) {
  for (auto it = ready_.begin(); it != ready_.end();) {
    if (!it->group->can_be_taken_from()) {
      ++it;
      continue;
    }
    Work candidate = std::move(*it);
    it = ready_.erase(it);
    if (!candidate.entity->claim()) continue;
    if (candidate.group->type() == CallbackGroupType::MutuallyExclusive)
      candidate.group->can_be_taken_from() = false;
    work = std::move(candidate);
    return true;
  }
  return false;
}

bool Executor::next(Work& work, std::chrono::nanoseconds timeout) {
  const std::lock_guard<std::mutex> lock(wait_mutex_);
  if (!active()) return false;
  if (take_ready(work)) return true;
  wait(timeout);
  return active() && take_ready(work);
}

void Executor::run(Work& work) {
  // Also after an exception: others may go on with this node.
  const std::shared_ptr<void> release(nullptr, [&work](void*) {
    if (work.group->type() != CallbackGroupType::MutuallyExclusive) return;
    work.group->can_be_taken_from() = true;
    work.group->changed().trigger();
  });
  work.entity->execute();
  work.entity.reset();
}

Executor::Spinning::Spinning(Executor& executor) : executor_(executor) {
  if (executor.spinning_.exchange(true))
    throw std::runtime_error("spin called while already spinning");
}

void Executor::spin_once(std::chrono::nanoseconds timeout) {
  const Spinning spinning(*this);
  const auto start = Steady::now();
  auto left = timeout;
  do {
    Work work;
    if (next(work, left)) return run(work);
    left = left_of(timeout, start);
  } while (active() && left.count() != 0);
}

void Executor::spin_some(std::chrono::nanoseconds max_duration) { spin_ready(max_duration, false); }

void Executor::spin_all(std::chrono::nanoseconds max_duration) {
  if (max_duration.count() < 0)
    throw std::invalid_argument("max_duration must be greater than or equal to 0");
  spin_ready(max_duration, true);
}

void Executor::spin_ready(std::chrono::nanoseconds max_duration, bool repeat) {
  const Spinning spinning(*this);
  const auto start = Steady::now();
  const auto in_time = [&] {
    return max_duration.count() == 0 || Steady::now() - start < max_duration;
  };
  bool found = true;
  do {
    {
      const std::lock_guard<std::mutex> lock(wait_mutex_);
      wait(std::chrono::nanoseconds(0));
      found = !ready_.empty();
    }
    while (active() && in_time()) {
      Work work;
      {
        const std::lock_guard<std::mutex> lock(wait_mutex_);
        if (!take_ready(work)) break;
      }
      run(work);
    }
  } while (repeat && found && active() && in_time());
}

FutureReturnCode Executor::spin_until(const std::function<bool()>& done,
                                      std::chrono::nanoseconds timeout) {
  if (done()) return FutureReturnCode::SUCCESS;
  const Spinning spinning(*this);
  const auto start = Steady::now();
  while (active()) {
    Work work;
    if (next(work, left_of(timeout, start))) run(work);
    if (done()) return FutureReturnCode::SUCCESS;
    if (timeout.count() >= 0 && left_of(timeout, start).count() == 0)
      return FutureReturnCode::TIMEOUT;
  }
  return FutureReturnCode::INTERRUPTED;
}

void Executor::cancel() {
  spinning_ = false;
  wake();
}

}  // namespace rclcpp
