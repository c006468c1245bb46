#include "tf2_ros/buffer.h"

#include <rclcpp/logging.hpp>
#include <rclcpp/utilities.hpp>

namespace tf2_ros {

Buffer::Buffer(rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time)
    : tf2::BufferCore(cache_time), clock_(std::move(clock)) {
  if (!clock_) throw std::invalid_argument("clock must be a valid instance");
  rcl_jump_threshold_t backwards;
  backwards.on_clock_change = true;
  backwards.min_forward.nanoseconds = 0;  // none
  backwards.min_backward.nanoseconds = -1;
  jumps_ = clock_->create_jump_callback(
      nullptr,
      [this](const rcl_time_jump_t& jump) {
        if (jump.clock_change == RCL_ROS_TIME_NO_CHANGE && jump.delta.nanoseconds >= 0) return;
        RCLCPP_WARN(rclcpp::get_logger("tf2_buffer"),
                    "Detected jump back in time. Clearing TF buffer.");
        clear();
      },
      backwards);
}

template <class Question>
bool Buffer::wait(const Question& can_transform, tf2::Duration timeout, std::string* error) const {
  if (timeout.count() <= 0) return can_transform();
  if (!dedicated_thread_) {
    if (error) *error = "waiting for a transform needs a TransformListener with spin_thread";
    RCLCPP_ERROR(rclcpp::get_logger("tf2_buffer"),
                 "waiting for a transform needs a TransformListener with spin_thread");
    return false;
  }
  const rclcpp::Time start = clock_->now();
  while (!can_transform()) {
    const rclcpp::Time now = clock_->now();
    // A clock that jumps back would make this wait much longer than it should.
    if (now < start || now - start >= toRclcpp(timeout) || !rclcpp::ok()) return false;
    wait_for_change(std::chrono::milliseconds(10));
  }
  return true;
}

geometry_msgs::msg::TransformStamped Buffer::lookupTransform(const std::string& target,
                                                             const std::string& source,
                                                             const tf2::TimePoint& time,
                                                             const tf2::Duration timeout) const {
  canTransform(target, source, time, timeout);
  return lookupTransform(target, source, time);
}

geometry_msgs::msg::TransformStamped Buffer::lookupTransform(const std::string& target,
                                                             const tf2::TimePoint& target_time,
                                                             const std::string& source,
                                                             const tf2::TimePoint& source_time,
                                                             const std::string& fixed,
                                                             const tf2::Duration timeout) const {
  wait([&] { return canTransform(target, target_time, source, source_time, fixed); }, timeout,
       nullptr);
  return lookupTransform(target, target_time, source, source_time, fixed);
}

bool Buffer::canTransform(const std::string& target, const std::string& source,
                          const tf2::TimePoint& time, const tf2::Duration timeout,
                          std::string* error) const {
  return wait([&] { return canTransform(target, source, time, error); }, timeout, error);
}

}  // namespace tf2_ros
