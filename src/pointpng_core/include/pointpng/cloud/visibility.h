#pragma once

#include <vector>

#include <Eigen/Core>

#include "pointpng/base/cloud.h"

namespace pointpng {

/// Which points are seen from `viewpoint`: those that no other point hides in a depth image whose
/// pixels are about as large as the cloud is dense.
std::vector<bool> seen_points(const Cloud& cloud, const Eigen::Vector3f& viewpoint);

/// Only those points, in their order.
Cloud visible_from(const Cloud& cloud, const Eigen::Vector3f& viewpoint);

}  // namespace pointpng
