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

/// How far a rigid motion in the object's frame moves it off itself: the largest distance from the
/// moved object to the surface and back, the 1 % farthest points left out. Next to 0 for a
/// symmetry. It is BOP's MSSD (Hodaň et al. 2020) with the symmetries taken from the object itself:
/// those that it may have are the motions with a small such distance. The surface is the points'
/// tangent discs, so that the sampling does not count. A large cloud is subsampled.
double symmetry_distance(const Cloud& object, const Eigen::Isometry3d& motion);

}  // namespace pointpng
