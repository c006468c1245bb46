#include "simulator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "pointpng/cloud.h"
#include "pointpng/io.h"

namespace pointpng_ros {
namespace {

using pointpng::Cloud;
using Random = std::mt19937_64;

constexpr Eigen::Index kModelPoints = 4096;
constexpr int kSurplus = 3;  // points of the surface for each that a view draws

Cloud scaled_shape(const SimulatorConfig& config) {
  const auto count = kSurplus * static_cast<Eigen::Index>(config.points) + kModelPoints;
  return static_cast<float>(config.size) *
         pointpng::procedural_shape(static_cast<std::uint64_t>(config.seed),
                                    static_cast<std::uint64_t>(config.object), count)
             .points;
}

/// The same numbers for the same seed and stream.
Random make_random(std::int64_t seed, std::int64_t stream) {
  const auto low = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  std::seed_seq words{low(seed), low(seed >> 32), low(stream), low(stream >> 32)};
  return Random(words);
}

template <int size>
Eigen::Matrix<double, size, 1> random_direction(Random& random) {
  std::normal_distribution<double> normal;
  return Eigen::Matrix<double, size, 1>::NullaryExpr([&] { return normal(random); }).normalized();
}

Cloud random_subset(const Cloud& cloud, Eigen::Index count, Random& random) {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(cloud.rows())), chosen;
  std::iota(all.begin(), all.end(), 0);
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), count, random);
  return cloud(chosen, Eigen::all);
}

/// Moves each point along its ray.
void add_noise(Cloud& cloud, double sigma, Random& random) {
  std::normal_distribution<float> normal;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    cloud.row(i) *= 1.0F + static_cast<float>(sigma) * normal(random) / cloud.row(i).norm();
}

}  // namespace

Simulator::Simulator(const SimulatorConfig& config) : config_(config) {
  const Cloud all = scaled_shape(config);
  model_ = all.topRows(kModelPoints);
  surface_ = all.bottomRows(all.rows() - kModelPoints);
  Random random = make_random(config.seed, -1);
  axis_ = random_direction<3>(random);
  start_ = Eigen::Quaterniond(random_direction<4>(random));
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
  Random random = make_random(config_.seed, std::llround(1e6 * seconds));
  SimulatedView view;
  view.camera_from_object = pose(seconds);
  view.points = pointpng::transformed(
      random_subset(surface_, static_cast<Eigen::Index>(config_.points), random),
      view.camera_from_object);
  if (!config_.whole) view.points = pointpng::visible_from(view.points, Eigen::Vector3f::Zero());
  add_noise(view.points, config_.noise, random);
  return view;
}

}  // namespace pointpng_ros
