#include "pointpng/cloud.h"

namespace pointpng {

Cloud transformed(const Cloud& cloud, const Eigen::Isometry3d& transform) {
  const Eigen::Matrix<double, Eigen::Dynamic, 3> points =
      (cloud.cast<double>() * transform.linear().transpose()).rowwise() +
      transform.translation().transpose();
  return points.cast<float>();
}

}  // namespace pointpng
