#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "pointpng/cloud.h"

namespace pointpng {

/// Distance of each point to the nearest one of `to`.
Eigen::VectorXf nearest_distances(const Cloud& from, const Cloud& to);

/// How dense a cloud is: the mean distance of a point to its nearest neighbour. A large cloud
/// is subsampled.
double mean_spacing(const Cloud& cloud);

/// Evenly spaced rows, at most `count`, to measure a large cloud with.
Cloud thinned(const Cloud& cloud, Eigen::Index count);

/// Surface error: the mean distance of the transformed points to the surface in its true pose. It
/// is 0 for the true pose, and about the point spacing for every equivalent pose of a symmetric
/// object, whatever the angle between them.
double surface_distance(const Cloud& source, const Eigen::Isometry3d& estimate,
                        const Eigen::Isometry3d& truth);

}  // namespace pointpng
