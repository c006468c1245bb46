#include "train/rotation_error.h"

#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "model/rotation.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// Rotations that are wrong by these angles, about an axis that does not matter.
RotationErrors errors_of(const std::vector<double>& degrees) {
  at::manual_seed(1);
  const auto count = static_cast<std::int64_t>(degrees.size());
  const Tensor truth = rotation::canonical(torch::randn({count, 4}, torch::kFloat64));
  const Tensor axis = torch::tensor({0.48, 0.6, 0.64}, torch::kFloat64);
  const Tensor angles = torch::tensor(degrees, torch::kFloat64) * (std::numbers::pi / 180.0);
  const Tensor wrong = rotation::exp(angles.unsqueeze(1) * axis);
  return rotation_errors(rotation::multiply(wrong, truth), truth);
}

TEST(RotationErrorTest, SumsUpHandMadeErrors) {
  const RotationErrors errors = errors_of({1.0, 4.0, 10.0, 20.0, 180.0});
  EXPECT_NEAR(errors.mean_deg, 43.0, 1e-6);
  EXPECT_NEAR(errors.median_deg, 10.0, 1e-6);
  EXPECT_NEAR(errors.max_deg, 180.0, 1e-6);
  EXPECT_NEAR(errors.within_5deg, 0.4, 1e-12);
  EXPECT_NEAR(errors.within_15deg, 0.6, 1e-12);
}

TEST(RotationErrorTest, TheMedianOfAnEvenNumberLiesBetweenTheMiddleTwo) {
  EXPECT_NEAR(errors_of({1.0, 3.0, 5.0, 100.0}).median_deg, 4.0, 1e-6);
}

TEST(RotationErrorTest, PerfectEstimatesHaveNoError) {
  const RotationErrors errors = errors_of({0.0, 0.0, 0.0});
  EXPECT_LT(errors.max_deg, 1e-10);
  EXPECT_EQ(errors.within_5deg, 1.0);
}

TEST(RotationErrorTest, TheSignOfAQuaternionDoesNotMatter) {
  const Tensor truth = rotation::uniform({10});
  EXPECT_LT(rotation_errors(-truth, truth).max_deg, 1e-4);
}

TEST(RotationErrorTest, PrintsTheContractOfTheCommandLine) {
  const nlohmann::json json = errors_of({2.0, 10.0, 30.0});
  EXPECT_NEAR(json["rotation_deg"]["mean"].get<double>(), 14.0, 1e-6);
  EXPECT_NEAR(json["rotation_deg"]["median"].get<double>(), 10.0, 1e-6);
  EXPECT_NEAR(json["rotation_deg"]["max"].get<double>(), 30.0, 1e-6);
  EXPECT_NEAR(json["success"]["5deg"].get<double>(), 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(json["success"]["15deg"].get<double>(), 2.0 / 3.0, 1e-12);
}

}  // namespace
}  // namespace pointpng
