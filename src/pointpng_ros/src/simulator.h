#pragma once

#include <cstdint>

#include <Eigen/Geometry>

#include "pointpng/cloud.h"

namespace pointpng_ros {

/// An object that turns in front of a depth camera.
struct SimulatorConfig {
  std::int64_t seed = 0;        ///< of the object, its motion and the noise
  std::int64_t object = 0;      ///< which object of the seed
  std::int64_t points = 20000;  ///< on its whole surface; about half of them are visible
  double size = 0.3;            ///< radius of the object, metres
  double distance = 1.0;        ///< from the camera to the object's centre, metres
  double turn_rate = 30.0;      ///< degrees per second
  double noise = 0.001;         ///< standard deviation of the measured range, metres
  bool whole = false;           ///< show the hidden side as well
};

/// What the camera sees at one moment. The camera looks along z, x is right and y is down.
struct SimulatedView {
  pointpng::Cloud points;
  Eigen::Isometry3d camera_from_object = Eigen::Isometry3d::Identity();
};

/// The same config and the same time always give the same view.
class Simulator {
 public:
  explicit Simulator(const SimulatorConfig& config);

  SimulatedView view(double seconds) const;

  /// The whole object in its own frame; none of its points is in a view.
  const pointpng::Cloud& model() const { return model_; }

 private:
  Eigen::Isometry3d pose(double seconds) const;

  SimulatorConfig config_;
  pointpng::Cloud surface_, model_;
  Eigen::Vector3d axis_;
  Eigen::Quaterniond start_;
};

}  // namespace pointpng_ros
