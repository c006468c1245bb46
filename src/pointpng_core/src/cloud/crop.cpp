#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <fmt/format.h>

#include "base/random.h"
#include "base/rows.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr int kPlaneTrials = 200;
constexpr Eigen::Index kPlaneSample = 2000;  // points that a trial is scored on
constexpr double kLeastGround = 0.1;         // share of the cloud: less is not the ground

Cloud inside_box(const Cloud& cloud, const CropConfig& config, const Eigen::Isometry3f& to_base) {
  const Eigen::Vector3f low = config.crop_min.cast<float>(), high = config.crop_max.cast<float>();
  std::vector<std::int64_t> inside;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    const Eigen::Vector3f point = to_base * cloud.row(i).transpose();
    if ((point.array() >= low.array()).all() && (point.array() <= high.array()).all())
      inside.push_back(i);
  }
  return rows_at(cloud, inside);
}

struct Plane {
  Eigen::Vector3f normal = Eigen::Vector3f::UnitZ();
  float offset = 0.0F;
  Eigen::Index points = 0;

  bool has(const Eigen::Vector3f& point, float distance) const {
    return std::abs(normal.dot(point) - offset) <= distance;
  }
};

/// RANSAC over planes that are nearly perpendicular to `up`; deterministic.
Plane find_ground(const Cloud& cloud, const Eigen::Vector3f& up, const CropConfig& config) {
  const auto least = static_cast<float>(std::cos(config.ground_tilt * std::numbers::pi / 180.0));
  const auto distance = static_cast<float>(config.ground_distance);
  Random random({static_cast<std::uint64_t>(cloud.rows())});
  const Cloud judges = random_subset(cloud, kPlaneSample, random);
  const auto any = [&] { return Eigen::Vector3f(judges.row(random.below(judges.rows()))); };
  Plane best;
  for (int trial = 0; trial < kPlaneTrials; ++trial) {
    const Eigen::Vector3f a = any(), b = any(), c = any();
    Plane plane;
    plane.normal = (b - a).cross(c - a).normalized();
    if (!(std::abs(plane.normal.dot(up)) >= least)) continue;  // also rejects collinear points
    plane.offset = plane.normal.dot(a);
    plane.points = (((judges * plane.normal).array() - plane.offset).abs() <= distance).count();
    if (plane.points > best.points) best = plane;
  }
  best.points = best.points * cloud.rows() / std::max<Eigen::Index>(1, judges.rows());
  return best;
}

Cloud without_ground(const Cloud& cloud, const CropConfig& config,
                     const Eigen::Isometry3f& to_base) {
  if (cloud.rows() < 3) return cloud;
  const Eigen::Vector3f up = to_base.linear().transpose() * Eigen::Vector3f::UnitZ();
  const Plane ground = find_ground(cloud, up, config);
  if (static_cast<double>(ground.points) < kLeastGround * static_cast<double>(cloud.rows()))
    return cloud;
  std::vector<std::int64_t> kept;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    if (!ground.has(cloud.row(i), static_cast<float>(config.ground_distance))) kept.push_back(i);
  return rows_at(cloud, kept);
}

}  // namespace

void validate(const CropConfig& config) {
  for (int axis = 0; axis < 3; ++axis)
    if (!(config.crop_min[axis] < config.crop_max[axis]))
      throw InputError(fmt::format(
          "the crop box is empty: crop_min must be below crop_max, got {} and {} on axis {}",
          config.crop_min[axis], config.crop_max[axis], "xyz"[axis]));
}

Cloud cropped(Cloud cloud, const CropConfig& config, const Eigen::Isometry3d& base_from_cloud) {
  const Eigen::Isometry3f to_base = base_from_cloud.cast<float>();
  if (config.crop) cloud = inside_box(cloud, config, to_base);
  if (config.remove_ground) cloud = without_ground(cloud, config, to_base);
  if (config.voxel_size > 0.0 && cloud.rows() > 0)
    cloud = voxel_filter(cloud, static_cast<float>(config.voxel_size));
  return cloud;
}

}  // namespace pointpng
