#pragma once

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <tf2_ros/transform_broadcaster.h>
#include <thread>

#include "alignment_messages.h"
#include "cloud_input.h"
#include "cloud_preprocessor.h"
#include "newest.h"
#include "pose_config.h"
#include "pose_engine.h"
#include "pose_services.h"
#include "statistics.h"

namespace pointpng_ros {

/// Clouds in, poses out. The executor only hands clouds over: they are aligned in a thread of their
/// own, the newest one first, and services are answered in another.
class PoseNode : public rclcpp::Node {
 public:
  explicit PoseNode(const rclcpp::NodeOptions& options);
  ~PoseNode() override;

 private:
  using CloudMessage = sensor_msgs::msg::PointCloud2;

  void advertise();
  void work();
  void serve(const CloudPair& clouds);
  StampedAlignments reject(const CloudPair& clouds, const std::exception& reason);
  void publish(const StampedAlignment& result, const CloudPair& clouds);
  void publish_reference(const pointpng::Cloud& points, const std_msgs::msg::Header& header);
  void publish_embedding(const StampedCloud& cloud);
  void report();

  LiveConfig<PoseNodeConfig> config_;
  Statistics statistics_;
  CloudPreprocessor preprocessor_;
  PoseEngine engine_;
  Newest<CloudPair> inbox_;
  rclcpp::Clock steady_{RCL_STEADY_TIME};  // log lines must not wait for a clock that was reset

  tf2_ros::TransformBroadcaster tf_;
  rclcpp::Publisher<pointpng_msgs::msg::Alignment>::SharedPtr alignments_;
  rclcpp::Publisher<geometry_msgs::msg::PoseWithCovarianceStamped>::SharedPtr poses_;
  rclcpp::Publisher<CloudMessage>::SharedPtr aligned_, references_;
  rclcpp::Publisher<visualization_msgs::msg::MarkerArray>::SharedPtr markers_;
  rclcpp::Publisher<pointpng_msgs::msg::Embedding>::SharedPtr embeddings_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  std::unique_ptr<CloudInput> input_;
  std::unique_ptr<PoseServices> services_;
  rclcpp::TimerBase::SharedPtr report_timer_;
  std::thread worker_;  // the last member: it uses all others
};

}  // namespace pointpng_ros
