#pragma once

#include <vector>

#include <Eigen/Core>

#include "pointpng/pose/scan.h"

namespace pointpng {

/// Translations that may go with a rotation, between the scans' centred points: from centroid to
/// centroid, which is right for whole objects, then the `count` shifts that most pairs of points
/// with like normals agree on, which is right where the overlap is partial.
std::vector<Eigen::Vector3f> translations_for(const Eigen::Matrix3f& rotation, const Scan& source,
                                              const Scan& target, int count);

}  // namespace pointpng
