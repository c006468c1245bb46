#pragma once

#include "rclcpp/executor.hpp"

namespace rclcpp::executors {

/// Runs callbacks in several threads; callback groups say which of them may meet.
class MultiThreadedExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(MultiThreadedExecutor);

  /// 0 threads: as many as there are cores, at least two.
  explicit MultiThreadedExecutor(const ExecutorOptions& options = ExecutorOptions(),
                                 std::size_t number_of_threads = 0);
  void spin() override;
  std::size_t get_number_of_threads() const { return threads_; }

 private:
  void work_until_done();

  std::size_t threads_;
};

}  // namespace rclcpp::executors
