#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Geometry>

#include "base/rows.h"
#include "cloud/normalise.h"
#include "pointpng/cloud.h"

namespace pointpng {
namespace {

/// A coarse depth image of a cloud, to tell which of its points are behind others.
class DepthImage {
 public:
  DepthImage(const Cloud& cloud, const Normalisation& size, const Eigen::Vector3f& viewpoint) {
    const Eigen::Vector3f to_centre = size.centre - viewpoint, forward = to_centre.normalized();
    const Eigen::Vector3f right = forward.unitOrthogonal(), up = forward.cross(right);
    // About two points per pixel, front and back, over the disc that the cloud covers.
    side_ =
        std::clamp(static_cast<int>(std::sqrt(static_cast<double>(cloud.rows()) / 2.0)), 4, 512);
    pixel_length_ = 2.0F * size.scale / static_cast<float>(side_);
    slack_ = 0.06F * size.scale;
    const float pixel = pixel_length_ / to_centre.norm();
    const int middle = side_ / 2;
    nearest_.assign(static_cast<std::size_t>(side_) * side_,
                    std::numeric_limits<float>::infinity());
    for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
      const Eigen::Vector3f ray = cloud.row(i).transpose() - viewpoint;
      const float depth = std::max(ray.dot(forward), 1e-3F * size.scale);
      const auto coordinate = [&](const Eigen::Vector3f& axis) {
        const float at = std::floor(ray.dot(axis) / depth / pixel);
        return static_cast<int>(
            std::clamp(at + static_cast<float>(middle), 0.0F, static_cast<float>(side_ - 1)));
      };
      places_.push_back({coordinate(right), coordinate(up), depth});
      float& nearest = nearest_[index(places_.back().x, places_.back().y)];
      nearest = std::min(nearest, depth);
    }
  }

  /// Whether another point lies well in front of point i, in its pixel or a neighbouring one:
  /// points are sparse, and what is behind must not be visible between them. The farther away the
  /// pixel, the more depth is allowed, as for a slanted surface.
  bool hides(Eigen::Index i) const {
    constexpr int kReach = 2;
    constexpr float kSlant = 2.0F;
    const Place& place = places_[static_cast<std::size_t>(i)];
    for (int dx = -kReach; dx <= kReach; ++dx)
      for (int dy = -kReach; dy <= kReach; ++dy) {
        const int x = place.x + dx, y = place.y + dy;
        if (x < 0 || y < 0 || x >= side_ || y >= side_) continue;
        const float aside = static_cast<float>(std::max(std::abs(dx), std::abs(dy))) + 0.5F;
        const float allowed = slack_ + kSlant * pixel_length_ * aside;
        if (place.depth > nearest_[index(x, y)] + allowed) return true;
      }
    return false;
  }

 private:
  struct Place {
    int x, y;
    float depth;
  };
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(y);
  }

  int side_;
  float pixel_length_, slack_;
  std::vector<float> nearest_;
  std::vector<Place> places_;
};

}  // namespace

std::vector<bool> seen_points(const Cloud& cloud, const Eigen::Vector3f& viewpoint) {
  const DepthImage image(cloud, measure(cloud), viewpoint);
  std::vector<bool> seen;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) seen.push_back(!image.hides(i));
  return seen;
}

Cloud visible_from(const Cloud& cloud, const Eigen::Vector3f& viewpoint) {
  const std::vector<bool> seen = seen_points(cloud, viewpoint);
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) rows.push_back(static_cast<std::int64_t>(i));
  return rows_at(cloud, rows);
}

}  // namespace pointpng
