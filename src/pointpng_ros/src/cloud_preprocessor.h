#pragma once

#include <memory>
#include <rclcpp/node.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>

#include "pose_config.h"
#include "stamped.h"

namespace pointpng_ros {

/// Makes a sensor's message ready for registration: valid points only, cropped in the base frame.
class CloudPreprocessor {
 public:
  CloudPreprocessor(rclcpp::Node& node, const PoseNodeConfig& config);

  /// Waits for the base frame; throws `tf2::TransformException` where it does not come, and
  /// `InputError` for a message that can't be used.
  StampedCloud run(const sensor_msgs::msg::PointCloud2& message,
                   const PoseNodeConfig& config) const;

 private:
  std::unique_ptr<tf2_ros::Buffer> tf_buffer_;  // none without a base frame
  std::unique_ptr<tf2_ros::TransformListener> tf_listener_;
};

}  // namespace pointpng_ros
