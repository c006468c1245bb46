#pragma once

#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "pose/test_objects.h"

namespace pointpng {

struct Box {
  Eigen::Vector3f low, high;
};

/// Boxes that move together.
struct Body {
  std::vector<Box> boxes;
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
};

/// A chair of boxes, 0.9 m high, without symmetry; it stands on z = 0.
inline std::vector<Box> boxy_chair() {
  return {{{-0.25F, -0.25F, 0.4F}, {0.25F, 0.25F, 0.46F}},
          {{-0.25F, 0.2F, 0.46F}, {0.25F, 0.25F, 0.9F}},
          {{-0.25F, -0.25F, 0.0F}, {-0.19F, -0.19F, 0.4F}},
          {{0.19F, -0.25F, 0.0F}, {0.25F, -0.19F, 0.4F}},
          {{-0.25F, 0.19F, 0.0F}, {-0.19F, 0.25F, 0.4F}},
          {{0.19F, 0.19F, 0.0F}, {0.25F, 0.25F, 0.4F}},
          {{0.19F, -0.25F, 0.46F}, {0.25F, 0.1F, 0.62F}}};
}

/// A cupboard with a shelf at its side: as large as the chair, of another shape.
inline std::vector<Box> boxy_cupboard() {
  return {{{-0.2F, -0.2F, 0.0F}, {0.2F, 0.2F, 0.55F}},
          {{0.2F, -0.2F, 0.3F}, {0.45F, 0.1F, 0.36F}},
          {{-0.2F, -0.05F, 0.55F}, {0.0F, 0.2F, 0.85F}}};
}

/// Points spread evenly over the surfaces of boxes.
inline Cloud sampled(const std::vector<Box>& boxes, Eigen::Index count, std::uint64_t seed) {
  Random random({seed, 31});
  std::vector<float> area_until;
  float area = 0.0F;
  for (const Box& box : boxes) {
    const Eigen::Vector3f edge = box.high - box.low;
    for (int axis = 0; axis < 3; ++axis)
      area_until.push_back(area += 2.0F * edge[(axis + 1) % 3] * edge[(axis + 2) % 3]);
  }
  Cloud cloud(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) {
    const float at = area * random.uniform();
    std::size_t face = 0;
    while (face + 1 < area_until.size() && area_until[face] < at) ++face;
    const Box& box = boxes[face / 3];
    const auto axis = static_cast<Eigen::Index>(face % 3);
    for (Eigen::Index k = 0; k < 3; ++k)
      cloud(i, k) = box.low[k] + (box.high[k] - box.low[k]) * random.uniform();
    cloud(i, axis) = random.uniform() < 0.5F ? box.low[axis] : box.high[axis];
  }
  return cloud;
}

inline Eigen::Isometry3f placed(float x, float y, float yaw_deg) {
  Eigen::Isometry3f pose(Eigen::Translation3f(x, y, 0.0F));
  pose.rotate(
      Eigen::AngleAxisf(yaw_deg * static_cast<float>(kRadiansPerDegree), Eigen::Vector3f::UnitZ()));
  return pose;
}

/// Where a ray enters a box, or leaves it where it starts inside.
inline std::optional<float> hit(const Box& box, const Eigen::Vector3f& from,
                                const Eigen::Vector3f& along) {
  const Eigen::Array3f one = (box.low - from).array() / along.array(),
                       two = (box.high - from).array() / along.array();
  const float enter = one.min(two).maxCoeff(), leave = one.max(two).minCoeff();
  if (!(leave > 0.0F) || enter > leave) return std::nullopt;
  return enter > 0.0F ? enter : leave;
}

/// What a sensor sees of bodies from a place: rays in a cone about a direction (all around for
/// 180°), with range noise.
inline Cloud scan(const std::vector<Body>& bodies, const Eigen::Vector3f& viewpoint,
                  const Eigen::Vector3f& towards, float half_angle_deg, int rays,
                  std::uint64_t seed, float noise = 0.003F) {
  Random random({seed, 32});
  const float least = std::cos(half_angle_deg * static_cast<float>(kRadiansPerDegree));
  const Eigen::Vector3f centre = (towards - viewpoint).normalized();
  std::vector<Eigen::Vector3f> seen;
  for (int i = 0; i < rays;) {
    const Eigen::Vector3f direction = random.direction();
    if (direction.dot(centre) < least) continue;
    ++i;
    float range = std::numeric_limits<float>::infinity();
    for (const Body& body : bodies) {
      const Eigen::Isometry3f back = body.pose.inverse();
      const Eigen::Vector3f from = back * viewpoint, along = back.linear() * direction;
      for (const Box& box : body.boxes)
        if (const auto at = hit(box, from, along)) range = std::min(range, *at);
    }
    if (std::isfinite(range))
      seen.push_back(viewpoint + (range + noise * random.normal()) * direction);
  }
  Cloud cloud(static_cast<Eigen::Index>(seen.size()), 3);
  for (std::size_t i = 0; i < seen.size(); ++i)
    cloud.row(static_cast<Eigen::Index>(i)) = seen[i].transpose();
  return cloud;
}

/// A furnished room of 5 m by 4 m, different for each seed.
inline std::vector<Body> furnished_room(std::uint64_t seed) {
  Random random({seed, 33});
  std::vector<Body> bodies = {{{{{-2.5F, -2.0F, 0.0F}, {2.5F, 2.0F, 2.6F}}}}};
  for (int i = 0; i < 7; ++i) {
    const Eigen::Vector3f size(random.uniform(0.2F, 1.2F), random.uniform(0.2F, 0.8F),
                               random.uniform(0.3F, 1.8F));
    const float x = random.uniform(-2.2F, 2.2F), y = random.uniform() < 0.5F ? -1.5F : 1.4F;
    bodies.push_back(
        {{{{-0.5F * size[0], -0.5F * size[1], 0.0F}, {0.5F * size[0], 0.5F * size[1], size[2]}}},
         placed(x, y, random.uniform(-20.0F, 20.0F))});
  }
  return bodies;
}

}  // namespace pointpng
