#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include "pointpng/cloud.h"

namespace pointpng {

/// From a sensor; the direction has length 1.
struct Ray {
  Eigen::Vector3f origin, direction;
};

/// What a ray meets first.
struct RayHit {
  float distance = 0.0F;
  float incidence = 0.0F;  ///< cosine between the ray and the surface's normal, in [0, 1]
  int part = 0;            ///< as given when the surface was added
};

/// Surfaces to be seen by simulated sensors: boxes, cylinders, and clouds whose points stand for
/// the surface around them. z is up.
class RayScene {
 public:
  /// `half`: half of its sides.
  void add_box(const Eigen::Isometry3f& pose, const Eigen::Vector3f& half, int part);
  /// Upright or not, without its ends.
  void add_cylinder(const Eigen::Vector3f& from, const Eigen::Vector3f& to, float radius, int part);
  /// Every point is a disc that is large enough to leave no holes. `normals` as long as the points.
  void add_surface(const Cloud& points, const Cloud& normals, float disc_radius, int part);

  /// Call it after the last surface and before the first ray.
  void build();

  std::optional<RayHit> cast(const Ray& ray) const;

 private:
  enum class Kind : std::uint8_t { kBox, kCylinder, kDisc };
  /// A surface in a frame of its own: a box about the origin, a cylinder about z, a disc in z = 0.
  struct Surface {
    Eigen::Matrix3f local_from_world;
    Eigen::Vector3f centre, size, low, high;
    int part;
    Kind kind;
  };
  /// Of the bounding volume hierarchy; a leaf has surfaces begin … end.
  struct Node {
    Eigen::Vector3f low, high;
    std::int32_t begin = 0, end = 0, right = -1;
  };

  void add(Kind kind, const Eigen::Isometry3f& pose, const Eigen::Vector3f& size, int part);
  std::int32_t build(std::int32_t begin, std::int32_t end);
  static std::optional<RayHit> meet(const Surface& surface, const Ray& ray);

  std::vector<Surface> surfaces_;
  std::vector<Node> nodes_;
};

}  // namespace pointpng
