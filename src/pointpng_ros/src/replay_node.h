#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <pointpng_msgs/msg/alignment.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <tf2_ros/transform_broadcaster.h>
#include <thread>

#include "replay_config.h"

namespace pointpng_ros {

/// Publishes clouds of a recording or of a simulated camera, in a thread of its own.
class ReplayNode : public rclcpp::Node {
 public:
  explicit ReplayNode(const rclcpp::NodeOptions& options);
  ~ReplayNode() override;

 private:
  using CloudMessage = sensor_msgs::msg::PointCloud2;
  using Steady = std::chrono::steady_clock;

  void play();
  void simulate();
  void play_recording();
  /// Waits for the cloud's turn and publishes it; its stamp is the recording's. False: stop.
  bool publish(CloudMessage cloud, const std::optional<Eigen::Isometry3d>& truth = std::nullopt);
  bool wait_for_turn(std::int64_t recorded_ns);
  bool wait_until_served();
  bool wait_for_listener();

  LiveConfig<ReplayConfig> config_;
  std::unique_ptr<tf2_ros::TransformBroadcaster> tf_;
  rclcpp::Publisher<CloudMessage>::SharedPtr clouds_, model_;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
  rclcpp::Subscription<pointpng_msgs::msg::Alignment>::SharedPtr answers_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::int64_t answered_ns_ = 0;  // stamp of the last answer

  std::int64_t published_ = 0;
  std::int64_t last_published_ns_ = 0, last_recorded_ns_ = 0;
  Steady::time_point next_turn_;
  std::thread thread_;
};

}  // namespace pointpng_ros
