#include "rclcpp/executors.hpp"

#include <algorithm>
#include <thread>

namespace rclcpp {
namespace executors {

void SingleThreadedExecutor::spin() {
  const Spinning spinning(*this);
  while (active()) {
    Work work;
    if (next(work, std::chrono::nanoseconds(-1))) run(work);
  }
}

MultiThreadedExecutor::MultiThreadedExecutor(const ExecutorOptions& options,
                                             std::size_t number_of_threads)
    : Executor(options),
      threads_(number_of_threads > 0 ? number_of_threads
                                     : std::max(2U, std::thread::hardware_concurrency())) {}

void MultiThreadedExecutor::spin() {
  const Spinning spinning(*this);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads_; ++i) others.emplace_back([this] { work_until_done(); });
  work_until_done();
  for (auto& other : others) other.join();
}

void MultiThreadedExecutor::work_until_done() {
  while (active()) {
    Work work;
    if (next(work, std::chrono::nanoseconds(-1))) run(work);
  }
}

}  // namespace executors

void spin(node_interfaces::NodeBaseInterface::SharedPtr node) {
  SingleThreadedExecutor executor(ExecutorOptions{node->get_context()});
  executor.add_node(node);
  executor.spin();
  executor.remove_node(node);
}

void spin(Node::SharedPtr node) { spin(node->get_node_base_interface()); }

void spin_some(node_interfaces::NodeBaseInterface::SharedPtr node) {
  SingleThreadedExecutor executor(ExecutorOptions{node->get_context()});
  executor.add_node(node);
  executor.spin_some();
}

void spin_some(Node::SharedPtr node) { spin_some(node->get_node_base_interface()); }

}  // namespace rclcpp
