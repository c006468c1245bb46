#pragma once

#include <vector>

#include <Eigen/Geometry>

#include "pointpng/base/cloud.h"

namespace pointpng_ros {

/// What is taken out of a cloud before its pose is estimated.
struct PreparationConfig {
  bool crop = false;                                  ///< keep only the box below
  std::vector<double> crop_min = {-1.0, -1.0, -1.0};  ///< lower corner of the box, metres
  std::vector<double> crop_max = {1.0, 1.0, 1.0};     ///< upper corner of the box, metres
  bool remove_ground = false;     ///< take the largest plane away that is across the z axis
  double ground_distance = 0.02;  ///< points this near to the plane are ground, metres
  double ground_tilt = 15.0;      ///< degrees that the plane may be inclined
  double voxel_size = 0.0;        ///< one point for each cube of this edge, metres; 0: all points
};

/// Throws `InputError` for a box without inside.
void validate(const PreparationConfig& config);

/// Box and ground are meant in the base frame; the points stay in the frame of the cloud.
pointpng::Cloud prepare(pointpng::Cloud cloud, const PreparationConfig& config,
                        const Eigen::Isometry3d& base_from_cloud);

}  // namespace pointpng_ros
