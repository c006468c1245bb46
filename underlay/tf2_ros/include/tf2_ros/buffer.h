#pragma once

#include <atomic>
#include <rclcpp/clock.hpp>
#include <string>
#include <tf2/buffer_core.h>

#include "tf2_ros/buffer_interface.h"

namespace tf2_ros {

/// A buffer that can wait for transforms. Waiting needs a listener with a thread of its own, and is
/// measured by the given clock. A jump back in time empties it. Waiting by callback
/// (waitForTransform) is left out.
class Buffer : public tf2::BufferCore {
 public:
  using SharedPtr = std::shared_ptr<Buffer>;
  using tf2::BufferCore::canTransform;
  using tf2::BufferCore::lookupTransform;

  explicit Buffer(rclcpp::Clock::SharedPtr clock,
                  tf2::Duration cache_time = tf2::BUFFER_CORE_DEFAULT_CACHE_TIME);

  geometry_msgs::msg::TransformStamped lookupTransform(const std::string& target_frame,
                                                       const std::string& source_frame,
                                                       const tf2::TimePoint& time,
                                                       const tf2::Duration timeout) const;
  geometry_msgs::msg::TransformStamped lookupTransform(
      const std::string& target_frame, const std::string& source_frame, const rclcpp::Time& time,
      const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0)) const {
    return lookupTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout));
  }
  geometry_msgs::msg::TransformStamped lookupTransform(const std::string& target_frame,
                                                       const tf2::TimePoint& target_time,
                                                       const std::string& source_frame,
                                                       const tf2::TimePoint& source_time,
                                                       const std::string& fixed_frame,
                                                       const tf2::Duration timeout) const;
  geometry_msgs::msg::TransformStamped lookupTransform(
      const std::string& target_frame, const rclcpp::Time& target_time,
      const std::string& source_frame, const rclcpp::Time& source_time,
      const std::string& fixed_frame,
      const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0)) const {
    return lookupTransform(target_frame, fromRclcpp(target_time), source_frame,
                           fromRclcpp(source_time), fixed_frame, fromRclcpp(timeout));
  }

  bool canTransform(const std::string& target_frame, const std::string& source_frame,
                    const tf2::TimePoint& time, const tf2::Duration timeout,
                    std::string* error = nullptr) const;
  bool canTransform(const std::string& target_frame, const std::string& source_frame,
                    const rclcpp::Time& time,
                    const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0),
                    std::string* error = nullptr) const {
    return canTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout), error);
  }

  void setUsingDedicatedThread(bool value) { dedicated_thread_ = value; }
  bool isUsingDedicatedThread() const { return dedicated_thread_; }

 private:
  template <class Question>
  bool wait(const Question& can_transform, tf2::Duration timeout, std::string* error) const;

  rclcpp::Clock::SharedPtr clock_;
  rclcpp::JumpHandler::SharedPtr jumps_;
  std::atomic<bool> dedicated_thread_{false};
};

}  // namespace tf2_ros
