#include "alignment_messages.h"

#include <algorithm>
#include <functional>
#include <string>
#include <tf2_eigen/tf2_eigen.hpp>

#include <fmt/format.h>

#include "cloud_messages.h"

namespace pointpng_ros {
namespace {

using pointpng::Alignment;
using visualization_msgs::msg::Marker;

template <class Array>
void copy_covariance(const pointpng::PoseCovariance& covariance, Array& out) {
  Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(out.data()) = covariance;
}

std_msgs::msg::Header header_of(const StampedAlignment& result) {
  return to_header(result.frame, result.stamp_ns);
}

Marker marker_of(const StampedAlignment& result, const char* name, std::int32_t type) {
  Marker marker;
  marker.header = header_of(result);
  marker.ns = name;
  // One per object: RViz keeps them apart by their numbers.
  marker.id = static_cast<std::int32_t>(std::hash<std::string>()(result.child_frame) & 0x7fffffff);
  marker.type = type;
  marker.action = Marker::ADD;
  marker.pose = tf2::toMsg(result.alignment.target_from_source);
  marker.frame_locked = false;
  return marker;
}

Marker axes(const StampedAlignment& result, double length) {
  Marker marker = marker_of(result, "axes", Marker::LINE_LIST);
  marker.scale.x = 0.04 * length;
  for (int axis = 0; axis < 3; ++axis) {
    geometry_msgs::msg::Point tip;
    (axis == 0 ? tip.x : axis == 1 ? tip.y : tip.z) = length;
    marker.points.insert(marker.points.end(), {geometry_msgs::msg::Point(), tip});
    std_msgs::msg::ColorRGBA colour;
    (axis == 0 ? colour.r : axis == 1 ? colour.g : colour.b) = 1.0F;
    colour.a = 1.0F;
    marker.colors.insert(marker.colors.end(), {colour, colour});
  }
  if (!result.alignment.accepted) marker.action = Marker::DELETE;
  return marker;
}

Marker verdict(const StampedAlignment& result, double length) {
  const Alignment& alignment = result.alignment;
  Marker marker = marker_of(result, "verdict", Marker::TEXT_VIEW_FACING);
  marker.scale.z = 0.15 * length;
  marker.pose.position.z += 1.2 * length;
  marker.text = alignment.accepted
                    ? fmt::format("{} {:.0f} %", result.child_frame, 100.0 * alignment.confidence)
                    : "rejected: " + alignment.rejection_reason;
  marker.color.r = alignment.accepted ? 0.2F : 1.0F;
  marker.color.g = alignment.accepted ? 1.0F : 0.3F;
  marker.color.b = 0.3F;
  marker.color.a = 1.0F;
  return marker;
}

}  // namespace

pointpng_msgs::msg::Alignment to_message(const StampedAlignment& result, double latency_ms) {
  const Alignment& alignment = result.alignment;
  pointpng_msgs::msg::Alignment message;
  message.header = header_of(result);
  message.target_stamp = to_stamp(result.target_stamp_ns);
  message.child_frame_id = result.child_frame;
  message.target_from_source = tf2::eigenToTransform(alignment.target_from_source).transform;
  copy_covariance(alignment.covariance, message.covariance);
  message.accepted = alignment.accepted;
  message.reason = alignment.rejection_reason;
  message.confidence = alignment.confidence;
  message.fitness = alignment.score;
  message.residual = alignment.residual;
  message.embedding_loss = alignment.embedding_loss;
  message.margin = alignment.evidence.margin;
  message.modes = static_cast<std::uint32_t>(std::max(0, alignment.num_symmetric_modes));
  message.source_points = result.source_points;
  message.target_points = result.target_points;
  message.prepare_ms = alignment.times_ms.prepare;
  message.embed_ms = alignment.times_ms.embed;
  message.search_ms = alignment.times_ms.search;
  message.parts_ms = alignment.times_ms.parts;
  message.refine_ms = alignment.times_ms.refine;
  message.total_ms = latency_ms;
  return message;
}

geometry_msgs::msg::TransformStamped to_transform(const StampedAlignment& result) {
  auto message = tf2::eigenToTransform(result.alignment.target_from_source);
  message.header = header_of(result);
  message.child_frame_id = result.child_frame;
  return message;
}

geometry_msgs::msg::PoseWithCovarianceStamped to_pose(const StampedAlignment& result) {
  geometry_msgs::msg::PoseWithCovarianceStamped message;
  message.header = header_of(result);
  message.pose.pose = tf2::toMsg(result.alignment.target_from_source);
  copy_covariance(result.alignment.covariance, message.pose.covariance);
  return message;
}

visualization_msgs::msg::MarkerArray to_markers(const StampedAlignment& result) {
  const pointpng::Cloud& cloud = result.aligned;
  double length = 1.0;
  if (cloud.rows() > 0)
    length = 0.25 * (cloud.colwise().maxCoeff() - cloud.colwise().minCoeff()).norm();
  visualization_msgs::msg::MarkerArray message;
  message.markers = {axes(result, length), verdict(result, length)};
  return message;
}

pointpng_msgs::msg::Embedding to_embedding(const pointpng::PreparedCloud& cloud,
                                           const std_msgs::msg::Header& header,
                                           const pointpng::ModelInfo& model) {
  pointpng_msgs::msg::Embedding message;
  message.header = header;
  message.model = model.file.stem().string();
  message.centre = tf2::toMsg(cloud.centroid());
  message.scale = cloud.scale();
  message.channels.assign(model.channels.begin(), model.channels.end());
  const Eigen::VectorXf& z = cloud.embedding();
  message.values.assign(z.begin(), z.end());
  return message;
}

}  // namespace pointpng_ros
