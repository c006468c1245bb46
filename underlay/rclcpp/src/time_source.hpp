#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <rosgraph_msgs/msg/clock.hpp>
#include <thread>

#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp::detail {

/// Makes a node's clock follow /clock while its parameter use_sim_time is true.
class TimeSource {
 public:
  explicit TimeSource(Node& node);
  ~TimeSource();
  RCLCPP_DISABLE_COPY(TimeSource);

 private:
  void use_simulated_time(bool use);
  void subscribe();
  void unsubscribe();
  void set_time(const rosgraph_msgs::msg::Clock& message);

  Node& node_;
  Clock::SharedPtr clock_;
  std::mutex mutex_;  // what follows
  CallbackGroup::SharedPtr group_;
  Subscription<rosgraph_msgs::msg::Clock>::SharedPtr subscription_;
  // /clock has its own thread: a callback that sleeps in simulated time must not stop the time.
  std::shared_ptr<executors::SingleThreadedExecutor> executor_;
  std::promise<void> stop_;
  std::thread thread_;
  Node::PostSetParametersCallbackHandle::SharedPtr post_set_;
};

}  // namespace rclcpp::detail
