#pragma once

#include <geometry_msgs/msg/pose_with_covariance_stamped.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <pointpng_msgs/msg/alignment.hpp>
#include <pointpng_msgs/msg/embedding.hpp>
#include <visualization_msgs/msg/marker_array.hpp>

#include "pointpng/registration.h"
#include "stamped.h"

namespace pointpng_ros {

/// `latency_ms`: from the arrival of the cloud to this message.
pointpng_msgs::msg::Alignment to_message(const StampedAlignment& result, double latency_ms);
geometry_msgs::msg::TransformStamped to_transform(const StampedAlignment& result);
geometry_msgs::msg::PoseWithCovarianceStamped to_pose(const StampedAlignment& result);

/// Axes of the child frame, as long as the aligned cloud is large, and the verdict in words.
visualization_msgs::msg::MarkerArray to_markers(const StampedAlignment& result);

/// The embedding of a cloud, with what a reader must know of the model.
pointpng_msgs::msg::Embedding to_embedding(const pointpng::PreparedCloud& cloud,
                                           const std_msgs::msg::Header& header,
                                           const pointpng::ModelInfo& model);

}  // namespace pointpng_ros
