#include "eval/sensors.h"

#include <cmath>
#include <numbers>

#include "base/geometry.h"

namespace pointpng {
namespace {

using Eigen::Vector3f;

float radians(double degrees) { return static_cast<float>(degrees * kRadiansPerDegree); }

Vector3f towards(float azimuth, float elevation) {
  return {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
          std::sin(elevation)};
}

/// Rays at even angles.
void add_turning_rays(RangeSensor& sensor, int columns, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      sensor.rays.push_back(towards(
          sensor.azimuth * (2.0F * static_cast<float>(column) / static_cast<float>(columns) - 1.0F),
          sensor.lowest + (sensor.highest - sensor.lowest) * static_cast<float>(row) /
                              static_cast<float>(rows - 1)));
}

bool in_view(const RangeSensor& sensor, const Vector3f& local) {
  const float range = local.norm();
  if (range < sensor.nearest || range > sensor.farthest) return false;
  const float elevation = std::asin(local.z() / range);
  return std::abs(std::atan2(local.y(), local.x())) <= sensor.azimuth &&
         elevation >= sensor.lowest && elevation <= sensor.highest;
}

}  // namespace

RangeSensor depth_camera(int columns, float quality) {
  RangeSensor sensor{.azimuth = radians(29.0),
                     .lowest = radians(-22.5),
                     .highest = radians(22.5),
                     .nearest = 0.35F,
                     .farthest = 6.0F,
                     .noise = 0.0009F * quality,
                     .noise_growth = 0.0015F * quality};  // Nguyen et al. 2012, roughly
  const float wide = std::tan(sensor.azimuth), tall = std::tan(sensor.highest);
  const int rows = columns * 3 / 4;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const float y =
          wide * (1.0F - 2.0F * (static_cast<float>(column) + 0.5F) / static_cast<float>(columns));
      const float z =
          tall * (1.0F - 2.0F * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows));
      sensor.rays.push_back(Vector3f(1.0F, y, z).normalized());
    }
  return sensor;
}

RangeSensor tilting_laser(float farthest) {
  RangeSensor sensor{.azimuth = std::numbers::pi_v<float>,
                     .lowest = radians(-60.0),
                     .highest = radians(60.0),
                     .nearest = 0.3F,
                     .farthest = farthest,
                     .noise = 0.008F};
  add_turning_rays(sensor, 360, 120);
  return sensor;
}

RangeSensor spinning_lidar(int rings, int columns, double lowest, double highest) {
  RangeSensor sensor{.azimuth = std::numbers::pi_v<float>,
                     .lowest = radians(lowest),
                     .highest = radians(highest),
                     .nearest = 2.0F,
                     .farthest = 80.0F,
                     .noise = 0.02F,
                     .lost = 0.05F,
                     .flattest = 0.02F};
  add_turning_rays(sensor, columns, rings);
  return sensor;
}

Scan scan(const RayScene& scene, const RangeSensor& sensor,
          const Eigen::Isometry3f& world_from_sensor, Random& random) {
  Scan seen;
  seen.points.resize(static_cast<Eigen::Index>(sensor.rays.size()), 3);
  Eigen::Index count = 0;
  for (const Vector3f& ray : sensor.rays) {
    const Vector3f direction = world_from_sensor.linear() * ray;
    const auto hit = scene.cast({world_from_sensor.translation(), direction});
    if (!hit || hit->distance < sensor.nearest || hit->distance > sensor.farthest ||
        hit->incidence < sensor.flattest || random.uniform() < sensor.lost)
      continue;
    const float sigma = sensor.noise + sensor.noise_growth * hit->distance * hit->distance;
    const float range = hit->distance + sigma * random.normal();
    seen.points.row(count++) = (world_from_sensor.translation() + range * direction).transpose();
    seen.parts.push_back(hit->part);
  }
  seen.points.conservativeResize(count, 3);
  return seen;
}

double seen_share(const Cloud& points, const RayScene& scene, const RangeSensor& sensor,
                  const Eigen::Isometry3f& world_from_sensor) {
  constexpr Eigen::Index kAsked = 500;
  constexpr float kSlack = 0.03F;  // of the range: noise and the discs of surfaces
  const Eigen::Isometry3f sensor_from_world = world_from_sensor.inverse();
  const Eigen::Index step = std::max<Eigen::Index>(1, points.rows() / kAsked);
  Eigen::Index seen = 0, asked = 0;
  for (Eigen::Index i = 0; i < points.rows(); i += step, ++asked) {
    const Vector3f point = points.row(i).transpose();
    if (!in_view(sensor, sensor_from_world * point)) continue;
    const Vector3f way = point - world_from_sensor.translation();
    const auto hit = scene.cast({world_from_sensor.translation(), way.normalized()});
    seen += !hit || hit->distance > (1.0F - kSlack) * way.norm() ? 1 : 0;
  }
  return asked == 0 ? 0.0 : static_cast<double>(seen) / static_cast<double>(asked);
}

}  // namespace pointpng
