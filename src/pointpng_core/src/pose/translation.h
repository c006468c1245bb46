#pragma once

#include <vector>

#include <Eigen/Core>

#include "pose/scan.h"

namespace pointpng {

/// Translations that may go with a rotation where the overlap is partial, between the scans'
/// centred points (for whole objects it is zero, from centroid to centroid): the `count` shifts
/// that most pairs of points with like normals agree on.
std::vector<Eigen::Vector3f> voted_translations(const Eigen::Matrix3f& rotation, const Scan& source,
                                                const Scan& target, int count);

}  // namespace pointpng
