#include "eval/landscape.h"

#include <algorithm>
#include <numbers>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"

namespace pointpng {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

/// A cloud and a rotated copy, prepared for a model.
struct Pair {
  std::shared_ptr<Model> model;
  torch::Tensor source, target;
  Eigen::Quaterniond truth;
};

Pair turned_pair(const std::string& backbone = "equivariant",
                 const std::string& predictor = "wigner") {
  at::manual_seed(3);
  Pair pair;
  pair.model = std::make_shared<Model>(small_config(backbone, predictor));
  pair.model->eval();
  pair.truth = Eigen::Quaterniond(
      Eigen::AngleAxisd(100.0 / kDegrees, Eigen::Vector3d(1, 2, -1).normalized()));
  const torch::NoGradGuard no_grad;
  const torch::Tensor cloud = prepare(random_cloud(400, 2), pair.model->config());
  const torch::Tensor g = torch::tensor(
      {pair.truth.w(), pair.truth.x(), pair.truth.y(), pair.truth.z()}, torch::kFloat32);
  pair.source = pair.model->embed(cloud.unsqueeze(0));
  pair.target = pair.model->embed(rotation::rotate(g, cloud).unsqueeze(0));
  return pair;
}

LandscapeConfig quick() {
  LandscapeConfig config;
  config.latitudes = 12;
  config.angles = 18;
  config.grid = 3000;
  return config;
}

RotationSearchConfig few_starts() {
  RotationSearchConfig config;
  config.starts = 4;
  config.steps = 5;
  return config;
}

TEST(LandscapeTest, TheTruthIsTheLowestPlaceOfAnExactEmbedding) {
  const Pair pair = turned_pair();
  const Landscape land =
      loss_landscape(*pair.model, pair.source, pair.target, pair.truth, quick(), few_starts());
  ASSERT_TRUE(land.truth.has_value());
  EXPECT_NEAR(land.truth->loss, 0.0, 1e-3);
  EXPECT_GE(land.lowest, -1e-4);
  EXPECT_GT(land.highest, 0.1);
  EXPECT_EQ(land.below_truth, 0.0);
  EXPECT_LT(land.hypotheses.front().rotation.angularDistance(pair.truth) * kDegrees, 1.0);
}

TEST(LandscapeTest, TheMapOfAxesIsLowestAtTheTruthsAxisAndAngle) {
  const Pair pair = turned_pair();
  const Landscape land =
      loss_landscape(*pair.model, pair.source, pair.target, pair.truth, quick(), few_starts());
  const auto& values = land.best_loss.values;
  ASSERT_EQ(values.size(), 12U * 24U);
  const auto place = std::ranges::min_element(values) - values.begin();
  const double latitude = -90.0 + 15.0 * (static_cast<double>(place / 24) + 0.5);
  const double longitude = -180.0 + 15.0 * (static_cast<double>(place % 24) + 0.5);
  EXPECT_NEAR(latitude, std::asin(-1.0 / std::sqrt(6.0)) * kDegrees, 15.0);
  EXPECT_NEAR(longitude, std::atan2(2.0, 1.0) * kDegrees, 20.0);
  EXPECT_NEAR(land.best_angle_deg.values[static_cast<std::size_t>(place)], 100.0, 15.0);
}

TEST(LandscapeTest, CurvesAndShellsStartAtTheTruthAndRise) {
  const Pair pair = turned_pair();
  const Landscape land =
      loss_landscape(*pair.model, pair.source, pair.target, pair.truth, quick(), few_starts());
  ASSERT_EQ(land.curves.size(), 3U);
  for (const LossCurve& curve : land.curves) {
    const std::size_t middle = curve.loss.size() / 2;
    EXPECT_EQ(curve.angle_deg[middle], 0.0);
    EXPECT_NEAR(curve.loss[middle], land.truth->loss, 1e-4);
    EXPECT_GT(curve.loss[middle + 20], curve.loss[middle] + 0.001);
    EXPECT_NEAR(curve.loss.front(), curve.loss.back(), 1e-3);  // 180° in either direction
  }
  ASSERT_EQ(land.shells.size(), land.shells_deg.size());
  EXPECT_GT(std::ranges::min(land.shells[1].values), land.truth->loss);
  for (const LossShell& shell : land.distances) {
    EXPECT_LE(shell.lowest, shell.median);
    EXPECT_LE(shell.median, shell.highest);
  }
}

// A shell's value is the loss of the rotation that it stands for, also of a predictor whose
// inverse is not exact.
TEST(LandscapeTest, AValueIsTheBidirectionalLossOfItsRotation) {
  const Pair pair = turned_pair("transformer", "cope");
  const Landscape land =
      loss_landscape(*pair.model, pair.source, pair.target, pair.truth, quick(), few_starts());
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t kRow = 9, kColumn = 4;
  const double latitude = (-90.0 + 15.0 * (kRow + 0.5)) / kDegrees;
  const double longitude = (-180.0 + 15.0 * (kColumn + 0.5)) / kDegrees;
  const Eigen::Vector3d axis(std::cos(latitude) * std::cos(longitude),
                             std::cos(latitude) * std::sin(longitude), std::sin(latitude));
  Eigen::Quaterniond g = Eigen::Quaterniond(Eigen::AngleAxisd(60.0 / kDegrees, axis)) * pair.truth;
  if (g.w() < 0.0) g.coeffs() *= -1.0;
  const torch::Tensor q = torch::tensor({{g.w(), g.x(), g.y(), g.z()}}, torch::kFloat32);
  const double expected =
      bidirectional_loss(pair.model->predictor(), q, pair.source, pair.target).item<double>();
  EXPECT_NEAR(land.shells[1].values[kRow * 24 + kColumn], expected, 1e-4);
}

TEST(LandscapeTest, WithoutATruthTheBestFoundIsTheCentre) {
  const Pair pair = turned_pair();
  const Landscape land =
      loss_landscape(*pair.model, pair.source, pair.target, std::nullopt, quick(), few_starts());
  EXPECT_FALSE(land.truth.has_value());
  EXPECT_EQ(land.centre.loss, land.hypotheses.front().loss);
}

}  // namespace
}  // namespace pointpng
