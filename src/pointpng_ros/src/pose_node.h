#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <pointpng_msgs/msg/embedding.hpp>
#include <pointpng_msgs/srv/align.hpp>
#include <pointpng_msgs/srv/set_reference.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <string>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_broadcaster.h>
#include <tf2_ros/transform_listener.h>
#include <thread>

#include "aligner.h"
#include "cloud_subscription.h"
#include "job_thread.h"
#include "newest.h"
#include "pair_matcher.h"
#include "pose_config.h"
#include "statistics.h"

namespace pointpng_ros {

/// Clouds in, poses out. The executor only hands clouds over: they are served in a thread of their
/// own, the newest first, and services in another one.
class PoseNode : public rclcpp::Node {
 public:
  explicit PoseNode(const rclcpp::NodeOptions& options);
  ~PoseNode() override;

 private:
  using CloudMessage = sensor_msgs::msg::PointCloud2;
  using CloudPtr = CloudMessage::ConstSharedPtr;
  using AlignService = rclcpp::Service<pointpng_msgs::srv::Align>;
  using ReferenceService = rclcpp::Service<pointpng_msgs::srv::SetReference>;
  using Steady = std::chrono::steady_clock;

  /// What the callbacks hand over to the thread that serves clouds.
  struct Arrival {
    CloudPtr cloud;
    CloudPtr target;  ///< of a pair; else null
    Steady::time_point at;
  };

  // Entities
  void advertise();
  void subscribe();
  void offer_services();
  void arrived(CloudPtr cloud, CloudPtr target = nullptr);
  void report();
  std::string explain_silence(const PoseNodeConfig& config);

  // Clouds, in their own thread
  void work();
  void serve(const Arrival& arrival);
  Observation observe(const CloudMessage& message, const PoseNodeConfig& config);
  void notice_time(std::int64_t stamp_ns, const PoseNodeConfig& config, Aligner& aligner);
  void publish(const Outcome& outcome, const Arrival& arrival, const PoseNodeConfig& config);
  void publish_embedding(const Observation& cloud);
  void reject(const Arrival& arrival, const std::string& reason);

  // The estimator and what it aligns to; any thread
  std::shared_ptr<const pointpng::PoseEstimator> estimator();
  std::shared_ptr<Aligner> aligner();
  void load_estimator(const std::shared_ptr<const PoseNodeConfig>& config);
  void load_reference_file();
  void set_reference(const Reference& reference);
  void publish_reference(const pointpng::Cloud& points, const std::string& frame,
                         std::int64_t stamp_ns);

  // Services, in their own thread
  std::string take_reference(const pointpng_msgs::srv::SetReference::Request& request,
                             std::uint32_t& points);
  pointpng_msgs::msg::Alignment answer_align(const pointpng_msgs::srv::Align::Request& request);

  LiveConfig<PoseNodeConfig> config_;
  Statistics statistics_;
  Newest<Arrival> inbox_;
  PairMatcher pairs_;
  std::atomic<bool> next_cloud_is_reference_ = false;

  std::mutex engine_mutex_;  // the members down to the empty line
  std::shared_ptr<const PoseNodeConfig> engine_config_;
  std::string model_name_;
  std::shared_ptr<pointpng::Model> model_;
  std::shared_ptr<const pointpng::PoseEstimator> estimator_;
  std::optional<Reference> reference_;
  std::shared_ptr<Aligner> aligner_;
  Steady::time_point last_attempt_;
  std::string last_failure_;

  std::optional<std::int64_t> last_stamp_ns_;  // of the serving thread
  rclcpp::Clock steady_{RCL_STEADY_TIME};      // log lines must not wait for a clock that was reset

  std::unique_ptr<tf2_ros::Buffer> tf_buffer_;
  std::unique_ptr<tf2_ros::TransformListener> tf_listener_;
  std::unique_ptr<tf2_ros::TransformBroadcaster> tf_;
  rclcpp::Publisher<pointpng_msgs::msg::Alignment>::SharedPtr alignments_;
  rclcpp::Publisher<geometry_msgs::msg::PoseWithCovarianceStamped>::SharedPtr poses_;
  rclcpp::Publisher<CloudMessage>::SharedPtr aligned_, references_;
  rclcpp::Publisher<visualization_msgs::msg::MarkerArray>::SharedPtr markers_;
  rclcpp::Publisher<pointpng_msgs::msg::Embedding>::SharedPtr embeddings_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  std::unique_ptr<CloudSubscription> clouds_, targets_;
  std::uint64_t clouds_told_ = 0, targets_told_ = 0;  // heard before the last report
  rclcpp::Subscription<CloudMessage>::SharedPtr reference_clouds_;
  AlignService::SharedPtr align_service_;
  ReferenceService::SharedPtr reference_service_;
  rclcpp::TimerBase::SharedPtr report_timer_;

  std::unique_ptr<JobThread> jobs_;
  std::thread worker_;
};

}  // namespace pointpng_ros
