#include "simulator.h"

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "base/rows.h"
#include "pointpng/cloud.h"
#include "pointpng/io.h"

namespace pointpng_ros {
namespace {

using pointpng::Cloud;
using pointpng::Random;

constexpr Eigen::Index kModelPoints = 4096;
constexpr int kSurplus = 3;  // points of the surface for each that a view draws

Cloud scaled_shape(const SimulatorConfig& config) {
  const auto count = kSurplus * static_cast<Eigen::Index>(config.points) + kModelPoints;
  return static_cast<float>(config.size) *
         pointpng::procedural_shape(static_cast<std::uint64_t>(config.seed),
                                    static_cast<std::uint64_t>(config.object), count)
             .points;
}

void add_noise(Cloud& cloud, double sigma, Random& random) {
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    cloud.row(i) *= 1.0F + static_cast<float>(sigma) * random.normal() / cloud.row(i).norm();
}

}  // namespace

Simulator::Simulator(const SimulatorConfig& config) : config_(config) {
  const Cloud all = scaled_shape(config);
  model_ = all.topRows(kModelPoints);
  surface_ = all.bottomRows(all.rows() - kModelPoints);
  Random random({static_cast<std::uint64_t>(config.seed), 11});
  axis_ = random.direction().cast<double>();
  const Eigen::Vector4f q = random.quaternion();
  start_ = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

Eigen::Isometry3d Simulator::pose(double seconds) const {
  const double turned = config_.turn_rate * std::numbers::pi / 180.0 * seconds;
  const double sway = 0.2 * config_.size;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = (Eigen::AngleAxisd(turned, axis_) * start_).toRotationMatrix();
  pose.translation() << sway * std::sin(0.5 * turned), sway * std::sin(0.7 * turned),
      config_.distance;
  return pose;
}

SimulatedView Simulator::view(double seconds) const {
  Random random({static_cast<std::uint64_t>(config_.seed),
                 static_cast<std::uint64_t>(std::llround(1e6 * seconds))});
  SimulatedView view;
  view.camera_from_object = pose(seconds);
  view.points = pointpng::transformed(
      pointpng::random_subset(surface_, static_cast<Eigen::Index>(config_.points), random),
      view.camera_from_object);
  if (!config_.whole) view.points = pointpng::visible_from(view.points, Eigen::Vector3f::Zero());
  add_noise(view.points, config_.noise, random);
  return view;
}

}  // namespace pointpng_ros
