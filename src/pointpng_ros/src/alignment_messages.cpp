#include "alignment_messages.h"

#include <algorithm>
#include <tf2_eigen/tf2_eigen.hpp>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace pointpng_ros {
namespace {

using pointpng::Alignment;
using pointpng::PoseCovariance;
using visualization_msgs::msg::Marker;

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d matrix;
  matrix << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return matrix;
}

template <class Array>
void copy_covariance(const PoseCovariance& covariance, Array& out) {
  std::size_t at = 0;
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 6; ++column) out[at++] = covariance(row, column);
}

std_msgs::msg::Header header_of(const Answer& answer) {
  std_msgs::msg::Header header;
  header.stamp = answer.stamp;
  header.frame_id = answer.frame;
  return header;
}

Marker marker_of(const Answer& answer, const char* name, std::int32_t type) {
  Marker marker;
  marker.header = header_of(answer);
  marker.ns = name;
  marker.type = type;
  marker.action = Marker::ADD;
  marker.pose = tf2::toMsg(answer.alignment.target_from_source);
  marker.frame_locked = false;
  return marker;
}

Marker axes(const Answer& answer, double length) {
  Marker marker = marker_of(answer, "axes", Marker::LINE_LIST);
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
  if (!answer.alignment.accepted) marker.action = Marker::DELETE;
  return marker;
}

Marker verdict(const Answer& answer, double length) {
  const Alignment& alignment = answer.alignment;
  Marker marker = marker_of(answer, "verdict", Marker::TEXT_VIEW_FACING);
  marker.scale.z = 0.15 * length;
  marker.pose.position.z += 1.2 * length;
  marker.text = alignment.accepted
                    ? fmt::format("{} {:.0f} %", answer.child_frame, 100.0 * alignment.confidence)
                    : "rejected: " + alignment.reason;
  marker.color.r = alignment.accepted ? 0.2F : 1.0F;
  marker.color.g = alignment.accepted ? 1.0F : 0.3F;
  marker.color.b = 0.3F;
  marker.color.a = 1.0F;
  return marker;
}

}  // namespace

Alignment inverted(const Alignment& alignment) {
  Alignment result = alignment;
  result.target_from_source = alignment.target_from_source.inverse();
  const Eigen::Matrix3d back = alignment.target_from_source.linear().transpose();
  // First order: t + δt and exp(δθ) R give -Rᵀ(t + δt - δθ × t) and exp(-Rᵀ δθ) Rᵀ.
  PoseCovariance jacobian = PoseCovariance::Zero();
  jacobian.topLeftCorner<3, 3>() = -back;
  jacobian.topRightCorner<3, 3>() =
      -back * cross_matrix(alignment.target_from_source.translation());
  jacobian.bottomRightCorner<3, 3>() = -back;
  result.covariance = jacobian * alignment.covariance * jacobian.transpose();
  return result;
}

Alignment moved(const Eigen::Isometry3d& moved_from_target, const Alignment& alignment) {
  Alignment result = alignment;
  result.target_from_source = moved_from_target * alignment.target_from_source;
  PoseCovariance jacobian = PoseCovariance::Zero();
  jacobian.topLeftCorner<3, 3>() = jacobian.bottomRightCorner<3, 3>() = moved_from_target.linear();
  result.covariance = jacobian * alignment.covariance * jacobian.transpose();
  return result;
}

Alignment reattached(const Alignment& alignment, const Eigen::Isometry3d& source_from_other) {
  Alignment result = alignment;
  result.target_from_source = alignment.target_from_source * source_from_other;
  // The origin is elsewhere now: a small turn moves it.
  PoseCovariance jacobian = PoseCovariance::Identity();
  jacobian.topRightCorner<3, 3>() =
      -cross_matrix(alignment.target_from_source.linear() * source_from_other.translation());
  result.covariance = jacobian * alignment.covariance * jacobian.transpose();
  return result;
}

pointpng_msgs::msg::Alignment to_message(const Answer& answer) {
  const Alignment& alignment = answer.alignment;
  pointpng_msgs::msg::Alignment message;
  message.header = header_of(answer);
  message.target_stamp = answer.target_stamp;
  message.child_frame_id = answer.child_frame;
  message.target_from_source = tf2::eigenToTransform(alignment.target_from_source).transform;
  copy_covariance(alignment.covariance, message.covariance);
  message.accepted = alignment.accepted;
  message.reason = alignment.reason;
  message.confidence = alignment.confidence;
  message.fitness = alignment.fitness;
  message.residual = alignment.residual;
  message.embedding_loss = alignment.embedding_loss;
  message.margin = alignment.margin;
  message.modes = static_cast<std::uint32_t>(std::max(0, alignment.modes));
  message.source_points = answer.source_points;
  message.target_points = answer.target_points;
  message.prepare_ms = alignment.times_ms.prepare;
  message.embed_ms = alignment.times_ms.embed;
  message.search_ms = alignment.times_ms.search;
  message.parts_ms = alignment.times_ms.parts;
  message.refine_ms = alignment.times_ms.refine;
  message.total_ms = answer.total_ms;
  return message;
}

geometry_msgs::msg::TransformStamped to_transform(const Answer& answer) {
  auto message = tf2::eigenToTransform(answer.alignment.target_from_source);
  message.header = header_of(answer);
  message.child_frame_id = answer.child_frame;
  return message;
}

geometry_msgs::msg::PoseWithCovarianceStamped to_pose(const Answer& answer) {
  geometry_msgs::msg::PoseWithCovarianceStamped message;
  message.header = header_of(answer);
  message.pose.pose = tf2::toMsg(answer.alignment.target_from_source);
  copy_covariance(answer.alignment.covariance, message.pose.covariance);
  return message;
}

visualization_msgs::msg::MarkerArray to_markers(const Answer& answer, double length) {
  visualization_msgs::msg::MarkerArray message;
  message.markers = {axes(answer, length), verdict(answer, length)};
  return message;
}

}  // namespace pointpng_ros
