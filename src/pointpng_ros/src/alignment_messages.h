#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <cstdint>
#include <geometry_msgs/msg/pose_with_covariance_stamped.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <pointpng_msgs/msg/alignment.hpp>
#include <string>
#include <visualization_msgs/msg/marker_array.hpp>

#include "pointpng/alignment.h"

namespace pointpng_ros {

/// An alignment with the frames and times that give it a meaning on a robot.
struct Answer {
  pointpng::Alignment alignment;
  builtin_interfaces::msg::Time stamp, target_stamp;
  std::string frame;        ///< of the target
  std::string child_frame;  ///< that gets a place in `frame`
  std::uint32_t source_points = 0, target_points = 0;
  double total_ms = 0.0;  ///< from arrival to now
};

/// The same answer with source and target exchanged, the covariance included.
pointpng::Alignment inverted(const pointpng::Alignment& alignment);

/// The same answer after the target's frame was moved: `moved_from_target` goes before it.
pointpng::Alignment moved(const Eigen::Isometry3d& moved_from_target,
                          const pointpng::Alignment& alignment);

/// The same answer for another frame that is fixed to the source: `source_from_other` goes behind
/// it.
pointpng::Alignment reattached(const pointpng::Alignment& alignment,
                               const Eigen::Isometry3d& source_from_other);

pointpng_msgs::msg::Alignment to_message(const Answer& answer);
geometry_msgs::msg::TransformStamped to_transform(const Answer& answer);
geometry_msgs::msg::PoseWithCovarianceStamped to_pose(const Answer& answer);

/// Axes of the frame, `length` metres long, and the verdict in words beside them.
visualization_msgs::msg::MarkerArray to_markers(const Answer& answer, double length);

}  // namespace pointpng_ros
