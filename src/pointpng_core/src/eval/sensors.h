#pragma once

#include <vector>

#include <Eigen/Geometry>

#include "base/random.h"
#include "eval/ray_scene.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// A simulated range sensor. In its own frame x is ahead and z is up. Lengths are metres.
struct RangeSensor {
  std::vector<Eigen::Vector3f> rays;    ///< unit directions
  float azimuth = 0.0F;                 ///< radians: it sees -azimuth … azimuth
  float lowest = 0.0F, highest = 0.0F;  ///< radians: elevation
  float nearest = 0.0F, farthest = 0.0F;
  float noise = 0.0F, noise_growth = 0.0F;  ///< σ of a range r: noise + growth · r²
  float lost = 0.02F;                       ///< share of the returns
  float flattest = 0.1F;                    ///< cosine of the incidence below which nothing returns
};

/// A structured-light camera, 58° × 45°; `quality` 1 is a first Kinect's noise, 0 none.
RangeSensor depth_camera(int columns, float quality);
/// A planar laser that is tilted: all around, 60° up and down.
RangeSensor tilting_laser(float farthest);
/// A vehicle's LiDAR: rings between two elevations in degrees.
RangeSensor spinning_lidar(int rings, int columns, double lowest, double highest);

/// What a sensor measures.
struct Scan {
  Cloud points;            ///< world frame
  std::vector<int> parts;  ///< of the scene, one per point
};

Scan scan(const RayScene& scene, const RangeSensor& sensor,
          const Eigen::Isometry3f& world_from_sensor, Random& random);

/// Share of the points (world frame) that a sensor sees too: in its field of view and range, with
/// nothing in front of them.
double seen_share(const Cloud& points, const RayScene& scene, const RangeSensor& sensor,
                  const Eigen::Isometry3f& world_from_sensor);

}  // namespace pointpng
