#include "io/surface.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include "pointpng/error.h"

namespace pointpng {
namespace {

/// Cumulative area of the triangles.
std::vector<double> cumulative_areas(const Mesh& mesh) {
  std::vector<double> sums;
  sums.reserve(static_cast<std::size_t>(mesh.triangles.rows()));
  double sum = 0;
  for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
    const Eigen::Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)).cast<double>();
    const Eigen::Vector3d b = mesh.vertices.row(mesh.triangles(t, 1)).cast<double>();
    const Eigen::Vector3d c = mesh.vertices.row(mesh.triangles(t, 2)).cast<double>();
    sum += 0.5 * (b - a).cross(c - a).norm();
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

Cloud sample_surface(const Mesh& mesh, Eigen::Index count, Random& random) {
  const std::vector<double> areas = cumulative_areas(mesh);
  if (areas.empty() || !(areas.back() > 0) || !std::isfinite(areas.back()))
    throw InputError("the mesh has no surface: all its triangles are degenerate");
  Cloud points(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double at = static_cast<double>(random.uniform()) * areas.back();
    const auto found = std::upper_bound(areas.begin(), areas.end(), at);
    const Eigen::Index t = std::min<Eigen::Index>(found - areas.begin(), mesh.triangles.rows() - 1);
    // The square root makes the density uniform over the triangle.
    const float root = std::sqrt(random.uniform());
    const float along = random.uniform();
    points.row(i) = (1 - root) * mesh.vertices.row(mesh.triangles(t, 0)) +
                    root * (1 - along) * mesh.vertices.row(mesh.triangles(t, 1)) +
                    root * along * mesh.vertices.row(mesh.triangles(t, 2));
  }
  return points;
}

void append_fan(const std::vector<int>& polygon, std::vector<int>& corners) {
  for (std::size_t i = 2; i < polygon.size(); ++i)
    corners.insert(corners.end(), {polygon[0], polygon[i - 1], polygon[i]});
}

Triangles to_triangles(const std::vector<int>& corners) {
  return Eigen::Map<const Triangles>(corners.data(), static_cast<Eigen::Index>(corners.size() / 3),
                                     3);
}

}  // namespace pointpng
