#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pointpng {

/// N points, one per row: contiguous x y z floats.
using Cloud = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Corners of triangles as rows of a `Cloud`.
using Triangles = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// A surface made of triangles.
struct Mesh {
  Cloud vertices;
  Triangles triangles;
};

/// One training or test item: points of one surface, in the source's own frame and unit.
struct Shape {
  Cloud points;
  int label = -1;    ///< row of `ShapeSet::class_names`, -1 where unknown
  std::string name;  ///< where it came from, for messages
};

/// Shapes with the names of their classes.
struct ShapeSet {
  std::vector<Shape> shapes;
  std::vector<std::string> class_names;
};

/// The cloud after a rigid transform, computed in double precision.
Cloud transformed(const Cloud& cloud, const Eigen::Isometry3d& transform);

/// One point, the mean, per occupied voxel of edge `size`, ordered by first occurrence. Throws
/// `InputError` unless size > 0.
Cloud voxel_filter(const Cloud& cloud, float size);

/// Which points are seen from `viewpoint`: those that no other point hides in a depth image whose
/// pixels are about as large as the cloud is dense.
std::vector<bool> seen_points(const Cloud& cloud, const Eigen::Vector3f& viewpoint);

/// Only those points, in their order.
Cloud visible_from(const Cloud& cloud, const Eigen::Vector3f& viewpoint);

/// What is removed from a sensor's cloud before registration. Box and ground are given in a base
/// frame whose z axis points up.
struct CropConfig {
  bool crop = false;                              ///< keep only the points inside the box
  Eigen::Vector3d crop_min = {-1.0, -1.0, -1.0};  ///< lower corner of the box, metres
  Eigen::Vector3d crop_max = {1.0, 1.0, 1.0};     ///< upper corner of the box, metres
  bool remove_ground = false;                     ///< remove the largest horizontal plane
  double ground_distance = 0.02;  ///< points within this distance of the plane are ground, metres
  double ground_tilt = 15.0;      ///< largest inclination of the plane, degrees
  double voxel_size = 0.0;        ///< edge of the voxel filter, metres; 0 switches it off
};

/// Throws `InputError` for an empty box.
void validate(const CropConfig& config);

/// Crops, removes the ground (RANSAC) and downsamples, in this order; the points stay in the frame
/// of the cloud.
Cloud cropped(Cloud cloud, const CropConfig& config, const Eigen::Isometry3d& base_from_cloud);

}  // namespace pointpng
