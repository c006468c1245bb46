#include "cloud_preprocessor.h"

#include <tf2_eigen/tf2_eigen.hpp>
#include <utility>

#include "cloud_messages.h"
#include "pointpng/error.h"

namespace pointpng_ros {

using pointpng::InputError;

CloudPreprocessor::CloudPreprocessor(rclcpp::Node& node, const PoseNodeConfig& config) {
  if (config.base_frame.empty() && config.up_frame.empty()) return;
  tf_buffer_ = std::make_unique<tf2_ros::Buffer>(node.get_clock());
  tf_listener_ = std::make_unique<tf2_ros::TransformListener>(*tf_buffer_);
}

StampedCloud CloudPreprocessor::run(const sensor_msgs::msg::PointCloud2& message,
                                    const PoseNodeConfig& config) const {
  std::size_t num_invalid = 0;
  StampedCloud cloud = to_stamped_cloud(message, &num_invalid);
  if (cloud.frame.empty()) throw InputError("the cloud has no frame_id: /tf needs one");
  if (cloud.points.rows() == 0)
    throw InputError(num_invalid == 0 ? "the cloud is empty"
                                      : "the cloud has no valid points: all are NaN or missing");
  const auto from_cloud = [&](const std::string& frame) -> Eigen::Isometry3d {
    if (frame.empty() || frame == cloud.frame) return Eigen::Isometry3d::Identity();
    return tf2::transformToEigen(
        tf_buffer_->lookupTransform(frame, cloud.frame, rclcpp::Time(message.header.stamp),
                                    rclcpp::Duration::from_seconds(config.tf_timeout)));
  };
  cloud.base_from_cloud = from_cloud(config.base_frame);
  if (!config.up_frame.empty())
    cloud.options.up = from_cloud(config.up_frame).linear().row(2).transpose();
  if (config.viewpoint) cloud.options.viewpoint = Eigen::Vector3d::Zero();
  cloud.points = pointpng::cropped(std::move(cloud.points), config.crop, cloud.base_from_cloud);
  return cloud;
}

}  // namespace pointpng_ros
