#include "io/solid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kMargin = 1e-4F;  // a point on the surface is not inside

struct FrustumAreas {
  float below, above, side;
};

FrustumAreas frustum_areas(const Eigen::Vector3f& size) {
  const float slant = std::hypot(size[0] - size[1], 2 * size[2]);
  return {kPi * size[0] * size[0], kPi * size[1] * size[1], kPi * (size[0] + size[1]) * slant};
}

Eigen::Vector3f sample_box(const Eigen::Vector3f& half, Random& random) {
  const float areas[3] = {half[1] * half[2], half[2] * half[0], half[0] * half[1]};
  float at = random.uniform() * (areas[0] + areas[1] + areas[2]);
  Eigen::Index axis = 0;
  while (axis < 2 && at >= areas[axis]) at -= areas[axis++];
  Eigen::Vector3f point;
  for (Eigen::Index i = 0; i < 3; ++i) point[i] = random.uniform(-half[i], half[i]);
  point[axis] = random.uniform() < 0.5F ? -half[axis] : half[axis];
  return point;
}

Eigen::Vector3f sample_frustum(const Eigen::Vector3f& size, Random& random) {
  const auto [below, above, side] = frustum_areas(size);
  const float angle = random.uniform(0, 2 * kPi);
  const float at = random.uniform() * (below + above + side);
  float radius = 0;
  float height = 0;
  if (at < below + above) {
    const bool is_below = at < below;
    radius = (is_below ? size[0] : size[1]) * std::sqrt(random.uniform());
    height = is_below ? -size[2] : size[2];
  } else {
    // The squared radius is uniform between the two ends.
    const float square = random.uniform(size[0] * size[0], size[1] * size[1]);
    radius = std::sqrt(square);
    const float change = size[1] - size[0];
    const float along = std::abs(change) > 1e-3F ? (radius - size[0]) / change : random.uniform();
    height = size[2] * (2 * along - 1);
  }
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

Eigen::Vector3f sample_ellipsoid(const Eigen::Vector3f& axes, Random& random) {
  // Rejection sampling: points of a sphere are kept in proportion to the local stretching of area.
  const float largest = axes.prod() / axes.minCoeff();
  while (true) {
    const Eigen::Vector3f direction = random.direction();
    const float stretch = axes.prod() * direction.cwiseQuotient(axes).norm();
    if (random.uniform() * largest < stretch) return direction.cwiseProduct(axes);
  }
}

Eigen::Vector3f sample_torus(float ring, float tube, Random& random) {
  while (true) {
    const float around = random.uniform(0, 2 * kPi);
    const float across = random.uniform(0, 2 * kPi);
    const float radius = ring + tube * std::cos(across);
    if (random.uniform() * (ring + tube) < radius)
      return {radius * std::cos(around), radius * std::sin(around), tube * std::sin(across)};
  }
}

}  // namespace

double Solid::area() const {
  switch (kind) {
    case Kind::kBox:
      return 8.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
    case Kind::kFrustum: {
      const auto [below, above, side] = frustum_areas(size);
      return below + above + side;
    }
    case Kind::kEllipsoid: {
      // Thomsen's formula, within 1.1 %.
      const double p = 1.6075;
      const double a = std::pow(size[0], p), b = std::pow(size[1], p), c = std::pow(size[2], p);
      return 4 * std::numbers::pi * std::pow((a * b + b * c + c * a) / 3, 1 / p);
    }
    case Kind::kTorus:
      return 4.0 * kPi * kPi * size[0] * size[1];
  }
  return 0;
}

Eigen::Vector3f Solid::sample(Random& random) const {
  Eigen::Vector3f point = Eigen::Vector3f::Zero();
  switch (kind) {
    case Kind::kBox:
      point = sample_box(size, random);
      break;
    case Kind::kFrustum:
      point = sample_frustum(size, random);
      break;
    case Kind::kEllipsoid:
      point = sample_ellipsoid(size, random);
      break;
    case Kind::kTorus:
      point = sample_torus(size[0], size[1], random);
      break;
  }
  return pose * point;
}

bool Solid::contains(const Eigen::Vector3f& point) const {
  const Eigen::Vector3f p = pose.inverse() * point;
  switch (kind) {
    case Kind::kBox:
      return (p.cwiseAbs().array() < size.array() - kMargin).all();
    case Kind::kFrustum: {
      if (std::abs(p[2]) >= size[2] - kMargin) return false;
      const float along = (p[2] / size[2] + 1) / 2;
      return std::hypot(p[0], p[1]) < size[0] + along * (size[1] - size[0]) - kMargin;
    }
    case Kind::kEllipsoid:
      return p.cwiseQuotient(size).norm() < 1 - kMargin / size.minCoeff();
    case Kind::kTorus:
      return std::hypot(std::hypot(p[0], p[1]) - size[0], p[2]) < size[1] - kMargin;
  }
  return false;
}

Cloud sample_union(const std::vector<Solid>& parts, Eigen::Index count, Random& random) {
  std::vector<double> areas;
  double sum = 0;
  for (const Solid& part : parts) areas.push_back(sum += part.area());
  Cloud points(count, 3);
  Eigen::Index found = 0;
  // A part that is entirely inside another would loop forever: there are none, but check it.
  for (Eigen::Index tries = 0; found < count && tries < 1000 * (count + 10); ++tries) {
    const double at = random.uniform() * sum;
    const auto chosen = std::min<std::size_t>(
        static_cast<std::size_t>(std::ranges::upper_bound(areas, at) - areas.begin()),
        parts.size() - 1);
    const Eigen::Vector3f point = parts[chosen].sample(random);
    bool hidden = false;
    for (std::size_t i = 0; i < parts.size() && !hidden; ++i)
      hidden = i != chosen && parts[i].contains(point);
    if (!hidden) points.row(found++) = point.transpose();
  }
  if (found < count) throw Error("the parts of an object have no surface");
  return points;
}

}  // namespace pointpng
