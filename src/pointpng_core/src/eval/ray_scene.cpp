#include "eval/ray_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pointpng {
namespace {

using Eigen::Vector3f;

constexpr float kNearest = 1e-4F;  // a ray that starts on a surface does not meet it

/// Distance along the ray at which it enters the box, or leaves it where it starts inside; and the
/// axis of that side. Negative where it misses.
struct BoxCrossing {
  float distance = -1.0F;
  Eigen::Index axis = 0;
};

BoxCrossing cross_box(const Vector3f& origin, const Vector3f& direction, const Vector3f& half) {
  float enter = -std::numeric_limits<float>::max(), leave = std::numeric_limits<float>::max();
  Eigen::Index first = 0, last = 0;
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    if (std::abs(direction[axis]) < 1e-9F) {
      if (std::abs(origin[axis]) > half[axis]) return {};
      continue;
    }
    const float a = (-half[axis] - origin[axis]) / direction[axis];
    const float b = (half[axis] - origin[axis]) / direction[axis];
    if (std::min(a, b) > enter) enter = std::min(a, b), first = axis;
    if (std::max(a, b) < leave) leave = std::max(a, b), last = axis;
  }
  if (enter > leave || leave < kNearest) return {};
  return enter > kNearest ? BoxCrossing{enter, first} : BoxCrossing{leave, last};
}

/// Whether the ray may meet something in the box before `farthest`.
bool reaches(const Vector3f& low, const Vector3f& high, const Vector3f& origin,
             const Vector3f& inverse, float farthest) {
  const Eigen::Array3f a = (low - origin).array() * inverse.array();
  const Eigen::Array3f b = (high - origin).array() * inverse.array();
  const float enter = a.min(b).maxCoeff(), leave = a.max(b).minCoeff();
  return enter <= leave && leave >= 0.0F && enter < farthest;
}

}  // namespace

void RayScene::add_box(const Eigen::Isometry3f& pose, const Vector3f& half, int part) {
  add(Kind::kBox, pose, half, part);
}

void RayScene::add_cylinder(const Vector3f& from, const Vector3f& to, float radius, int part) {
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
  pose.translate(0.5F * (from + to));
  pose.rotate(Eigen::Quaternionf::FromTwoVectors(Vector3f::UnitZ(), to - from));
  add(Kind::kCylinder, pose, {radius, radius, 0.5F * (to - from).norm()}, part);
}

void RayScene::add_surface(const Cloud& points, const Cloud& normals, float disc_radius, int part) {
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
    pose.translate(points.row(i).transpose());
    pose.rotate(Eigen::Quaternionf::FromTwoVectors(Vector3f::UnitZ(), normals.row(i).transpose()));
    add(Kind::kDisc, pose, {disc_radius, disc_radius, 0.0F}, part);
  }
}

void RayScene::add(Kind kind, const Eigen::Isometry3f& pose, const Vector3f& size, int part) {
  const Vector3f reach = pose.linear().cwiseAbs() * size;
  const Vector3f centre = pose.translation();
  surfaces_.push_back(
      {pose.linear().transpose(), centre, size, centre - reach, centre + reach, part, kind});
}

void RayScene::build() {
  nodes_.clear();
  if (!surfaces_.empty()) build(0, static_cast<std::int32_t>(surfaces_.size()));
}

/// Halves at the median along the longest side.
std::int32_t RayScene::build(std::int32_t begin, std::int32_t end) {
  constexpr std::int32_t kLeaf = 4;
  const auto number = static_cast<std::int32_t>(nodes_.size());
  Node node{surfaces_[static_cast<std::size_t>(begin)].low,
            surfaces_[static_cast<std::size_t>(begin)].high, begin, end};
  for (std::int32_t i = begin; i < end; ++i) {
    node.low = node.low.cwiseMin(surfaces_[static_cast<std::size_t>(i)].low);
    node.high = node.high.cwiseMax(surfaces_[static_cast<std::size_t>(i)].high);
  }
  nodes_.push_back(node);
  if (end - begin <= kLeaf) return number;
  Eigen::Index axis = 0;
  (node.high - node.low).maxCoeff(&axis);
  const std::int32_t middle = (begin + end) / 2;
  std::nth_element(surfaces_.begin() + begin, surfaces_.begin() + middle, surfaces_.begin() + end,
                   [axis](const Surface& a, const Surface& b) {
                     return a.low[axis] + a.high[axis] < b.low[axis] + b.high[axis];
                   });
  build(begin, middle);  // the left child follows its parent
  const std::int32_t right = build(middle, end);
  nodes_[static_cast<std::size_t>(number)].right = right;
  return number;
}

std::optional<RayHit> RayScene::meet(const Surface& surface, const Ray& ray) {
  const Vector3f origin = surface.local_from_world * (ray.origin - surface.centre);
  const Vector3f direction = surface.local_from_world * ray.direction;
  switch (surface.kind) {
    case Kind::kBox: {
      const BoxCrossing crossing = cross_box(origin, direction, surface.size);
      if (crossing.distance < 0.0F) return std::nullopt;
      return RayHit{crossing.distance, std::abs(direction[crossing.axis]), surface.part};
    }
    case Kind::kDisc: {
      const float distance = -origin.z() / direction.z();
      if (!(distance > kNearest)) return std::nullopt;
      const Eigen::Vector2f at = origin.head<2>() + distance * direction.head<2>();
      if (at.squaredNorm() > surface.size[0] * surface.size[0]) return std::nullopt;
      return RayHit{distance, std::abs(direction.z()), surface.part};
    }
    case Kind::kCylinder: {
      const float a = direction.head<2>().squaredNorm();
      const float b = origin.head<2>().dot(direction.head<2>());
      const float c = origin.head<2>().squaredNorm() - surface.size[0] * surface.size[0];
      const float root = b * b - a * c;
      if (a < 1e-12F || root < 0.0F) return std::nullopt;
      for (const float sign : {-1.0F, 1.0F}) {
        const float distance = (-b + sign * std::sqrt(root)) / a;
        const Vector3f at = origin + distance * direction;
        if (distance <= kNearest || std::abs(at.z()) > surface.size[2]) continue;
        return RayHit{distance, std::abs(at.head<2>().dot(direction.head<2>())) / surface.size[0],
                      surface.part};
      }
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<RayHit> RayScene::cast(const Ray& ray) const {
  std::optional<RayHit> nearest;
  if (nodes_.empty()) return nearest;
  const Vector3f inverse = ray.direction.cwiseInverse();
  std::array<std::int32_t, 64> open;  // deeper than any tree of medians
  std::size_t count = 0;
  open[count++] = 0;
  while (count > 0) {
    const std::int32_t number = open[--count];
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    const float farthest = nearest ? nearest->distance : std::numeric_limits<float>::max();
    if (!reaches(node.low, node.high, ray.origin, inverse, farthest)) continue;
    if (node.right >= 0) {
      open[count++] = node.right;
      open[count++] = number + 1;
      continue;
    }
    for (std::int32_t i = node.begin; i < node.end; ++i) {
      const auto hit = meet(surfaces_[static_cast<std::size_t>(i)], ray);
      if (hit && (!nearest || hit->distance < nearest->distance)) nearest = hit;
    }
  }
  return nearest;
}

}  // namespace pointpng
