#include "alignment_messages.h"

#include <gtest/gtest.h>

namespace pointpng_ros {
namespace {

StampedAlignment some_result() {
  StampedAlignment result;
  result.alignment.accepted = true;
  result.alignment.confidence = 0.97;
  result.alignment.target_from_source.translation() = Eigen::Vector3d(1.0, 2.0, 3.0);
  result.alignment.covariance(0, 5) = 0.25;
  result.frame = "camera";
  result.child_frame = "object";
  result.stamp_ns = 2'500'000'000;
  result.aligned = pointpng::Cloud::Random(10, 3);
  return result;
}

TEST(AlignmentMessages, TransformPoseAndAlignmentSayTheSame) {
  const StampedAlignment result = some_result();
  const auto alignment = to_message(result, 12.5);
  const auto transform = to_transform(result);
  const auto pose = to_pose(result);
  EXPECT_EQ(alignment.header.frame_id, "camera");
  EXPECT_EQ(alignment.header.stamp.sec, 2);
  EXPECT_EQ(alignment.child_frame_id, "object");
  EXPECT_EQ(alignment.total_ms, 12.5);
  EXPECT_EQ(transform.header, alignment.header);
  EXPECT_EQ(transform.child_frame_id, "object");
  EXPECT_EQ(transform.transform, alignment.target_from_source);
  EXPECT_EQ(pose.header, alignment.header);
  EXPECT_EQ(pose.pose.pose.position.y, 2.0);
  EXPECT_EQ(pose.pose.covariance, alignment.covariance);
  EXPECT_EQ(alignment.covariance[5], 0.25);  // row 0, column 5
}

TEST(Markers, AnAcceptedResultHasAxesAndItsConfidence) {
  const auto message = to_markers(some_result());
  EXPECT_EQ(message.markers.at(0).action, visualization_msgs::msg::Marker::ADD);
  EXPECT_EQ(message.markers.at(1).text, "object 97 %");
}

TEST(Markers, ARejectedResultHasNoAxes) {
  StampedAlignment result = some_result();
  result.alignment.accepted = false;
  result.alignment.rejection_reason = "it does not fit";
  const auto message = to_markers(result);
  EXPECT_EQ(message.markers.at(0).action, visualization_msgs::msg::Marker::DELETE);
  EXPECT_EQ(message.markers.at(1).text, "rejected: it does not fit");
}

}  // namespace
}  // namespace pointpng_ros
