#include "pose/visibility.h"

namespace pointpng {

float expected_overlap(const PreparedCloudData& cloud, const PreparedCloudData& seen_by,
                       const RigidTransform& pose, float margin) {
  if (!seen_by.viewpoint) return 1.0F;
  Cloud moved(cloud.points.rows(), 3);
  for (Eigen::Index i = 0; i < moved.rows(); ++i)
    moved.row(i) = (pose * cloud.points.row(i).transpose()).transpose();
  // A sensor that stands in the midst of the cloud, as in a room, is hidden from little of it.
  const Eigen::Vector3f viewpoint = seen_by.centred_viewpoint();
  const bool is_outside = (viewpoint - pose.translation).norm() > 2.0F * cloud.radius;
  const std::vector<bool> seen =
      is_outside ? seen_points(moved, viewpoint)
                 : std::vector<bool>(static_cast<std::size_t>(moved.rows()), true);
  Eigen::Index expected = 0;
  for (Eigen::Index i = 0; i < moved.rows(); ++i) {
    if (!seen[static_cast<std::size_t>(i)]) continue;
    const RangeImage::Place place = seen_by.look_at(moved.row(i).transpose(), margin);
    expected += place == RangeImage::Place::kSurface || place == RangeImage::Place::kFree ? 1 : 0;
  }
  return static_cast<float>(expected) / static_cast<float>(moved.rows());
}

}  // namespace pointpng
