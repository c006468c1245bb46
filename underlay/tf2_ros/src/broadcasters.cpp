#include <algorithm>

#include "tf2_ros/static_transform_broadcaster.h"
#include "tf2_ros/transform_broadcaster.h"

namespace tf2_ros {

using Transforms = std::vector<geometry_msgs::msg::TransformStamped>;

void TransformBroadcaster::sendTransform(const geometry_msgs::msg::TransformStamped& transform) {
  sendTransform(Transforms{transform});
}

void TransformBroadcaster::sendTransform(const Transforms& transforms) {
  tf2_msgs::msg::TFMessage message;
  message.transforms = transforms;
  publisher_->publish(message);
}

void StaticTransformBroadcaster::sendTransform(
    const geometry_msgs::msg::TransformStamped& transform) {
  sendTransform(Transforms{transform});
}

void StaticTransformBroadcaster::sendTransform(const Transforms& transforms) {
  for (const auto& transform : transforms) {
    const auto known = std::find_if(
        sent_.transforms.begin(), sent_.transforms.end(),
        [&](const auto& other) { return other.child_frame_id == transform.child_frame_id; });
    if (known == sent_.transforms.end())
      sent_.transforms.push_back(transform);
    else
      *known = transform;
  }
  publisher_->publish(sent_);
}

}  // namespace tf2_ros
