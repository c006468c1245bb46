#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "pointpng/cloud.h"

namespace pointpng {

/// Distance of each point to the nearest one of `to`.
Eigen::VectorXf nearest_distances(const Cloud& from, const Cloud& to);

/// How dense a cloud is: the mean distance of a point to its nearest neighbour. Of a large cloud
/// some of the points are asked.
double mean_spacing(const Cloud& cloud);

/// Rows at regular steps, at most `count`: enough of a large cloud to measure with.
Cloud thinned(const Cloud& cloud, Eigen::Index count);

/// How far a surface went astray: the mean distance of the moved points to where the truth puts
/// the surface. It is 0 for the truth, and for a symmetric object about the spacing of its points
/// for every right answer, whatever the angle between them.
double surface_distance(const Cloud& source, const Eigen::Isometry3d& estimate,
                        const Eigen::Isometry3d& truth);

}  // namespace pointpng
