#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <pointpng_msgs/msg/training_progress.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <string>
#include <thread>

#include "cloud_subscription.h"
#include "pointpng/io.h"
#include "pretrain_config.h"

namespace pointpng_ros {

/// Pre-trains a model on bags, or on clouds that it collects first. Trains in a thread of its own,
/// writes the same run folder as the command line, and resumes the run after a restart.
class PretrainNode : public rclcpp::Node {
 public:
  explicit PretrainNode(const rclcpp::NodeOptions& options);
  ~PretrainNode() override;

 private:
  using Progress = pointpng_msgs::msg::TrainingProgress;
  using CloudMessage = sensor_msgs::msg::PointCloud2;
  using Trigger = std_srvs::srv::Trigger;

  // Both return a sentence and throw `InputError` where nothing can be done.
  std::string start();
  std::string stop();

  void collect(const CloudMessage& cloud);
  void begin_collecting();
  /// Closes the bag; false where nothing was collected.
  bool end_collecting();
  void begin_training();
  void train();
  void watch(const pointpng::TrainStatus& status);
  /// Changes the state and publishes it.
  void set_state(std::uint8_t state, const std::string& message = "");
  void publish();

  /// The bag of collected clouds, beside the run.
  std::filesystem::path collected() const;
  bool has_run() const;

  LiveConfig<PretrainConfig> config_;
  rclcpp::Publisher<Progress>::SharedPtr progress_;
  std::unique_ptr<CloudSubscription> clouds_;
  rclcpp::Service<Trigger>::SharedPtr start_service_, stop_service_;

  std::recursive_mutex mutex_;  // the members down to the empty line
  Progress status_;
  std::unique_ptr<pointpng::BagWriter> bag_;
  std::int64_t last_collected_ns_ = 0;

  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace pointpng_ros
