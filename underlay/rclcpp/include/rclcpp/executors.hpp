#pragma once

#include <memory>

#include "rclcpp/executors/multi_threaded_executor.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp {

using executors::MultiThreadedExecutor;
using executors::SingleThreadedExecutor;

/// With an executor of one thread, in this thread.
void spin(node_interfaces::NodeBaseInterface::SharedPtr node);
void spin(Node::SharedPtr node);
void spin_some(node_interfaces::NodeBaseInterface::SharedPtr node);
void spin_some(Node::SharedPtr node);

template <class FutureT, class Rep = std::int64_t, class Period = std::milli>
FutureReturnCode spin_until_future_complete(
    node_interfaces::NodeBaseInterface::SharedPtr node, const FutureT& future,
    std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
  SingleThreadedExecutor executor(ExecutorOptions{node->get_context()});
  executor.add_node(node);
  return executor.spin_until_future_complete(future, timeout);
}

template <class FutureT, class Rep = std::int64_t, class Period = std::milli>
FutureReturnCode spin_until_future_complete(
    Node::SharedPtr node, const FutureT& future,
    std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
  return spin_until_future_complete(node->get_node_base_interface(), future, timeout);
}

}  // namespace rclcpp
