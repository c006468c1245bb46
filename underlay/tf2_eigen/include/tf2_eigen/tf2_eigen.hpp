#pragma once

#include <geometry_msgs/msg/point.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/quaternion.hpp>
#include <geometry_msgs/msg/transform.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>

#include <Eigen/Geometry>

namespace tf2 {

inline Eigen::Isometry3d transformToEigen(const geometry_msgs::msg::Transform& t) {
  return Eigen::Isometry3d(
      Eigen::Translation3d(t.translation.x, t.translation.y, t.translation.z) *
      Eigen::Quaterniond(t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z));
}

inline Eigen::Isometry3d transformToEigen(const geometry_msgs::msg::TransformStamped& t) {
  return transformToEigen(t.transform);
}

inline geometry_msgs::msg::Quaternion toMsg(const Eigen::Quaterniond& in) {
  geometry_msgs::msg::Quaternion message;
  message.x = in.x();
  message.y = in.y();
  message.z = in.z();
  message.w = in.w();
  return message;
}

inline geometry_msgs::msg::Point toMsg(const Eigen::Vector3d& in) {
  geometry_msgs::msg::Point message;
  message.x = in.x();
  message.y = in.y();
  message.z = in.z();
  return message;
}

inline geometry_msgs::msg::Pose toMsg(const Eigen::Isometry3d& in) {
  geometry_msgs::msg::Pose message;
  message.position = toMsg(Eigen::Vector3d(in.translation()));
  Eigen::Quaterniond q(in.linear());
  if (q.w() < 0) q.coeffs() *= -1;  // one sign for one rotation
  message.orientation = toMsg(q);
  return message;
}

inline geometry_msgs::msg::TransformStamped eigenToTransform(const Eigen::Isometry3d& in) {
  geometry_msgs::msg::TransformStamped message;
  message.transform.translation.x = in.translation().x();
  message.transform.translation.y = in.translation().y();
  message.transform.translation.z = in.translation().z();
  message.transform.rotation = toMsg(Eigen::Quaterniond(in.linear()));
  return message;
}

inline void fromMsg(const geometry_msgs::msg::Quaternion& message, Eigen::Quaterniond& out) {
  out = Eigen::Quaterniond(message.w, message.x, message.y, message.z);
}

inline void fromMsg(const geometry_msgs::msg::Point& message, Eigen::Vector3d& out) {
  out = Eigen::Vector3d(message.x, message.y, message.z);
}

inline void fromMsg(const geometry_msgs::msg::Pose& message, Eigen::Isometry3d& out) {
  Eigen::Quaterniond orientation;
  fromMsg(message.orientation, orientation);
  out = Eigen::Translation3d(message.position.x, message.position.y, message.position.z) *
        orientation;
}

}  // namespace tf2
