#include "eval/trajectory.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

Trajectory turned(const TrajectoryConfig& config, const std::string& backbone = "equivariant",
                  const std::string& predictor = "wigner") {
  at::manual_seed(2);
  Model model(small_config(backbone, predictor));
  model.eval();
  return turn_around(model, random_cloud(400, 1), config);
}

TEST(TrajectoryTest, AFullTurnComesBack) {
  const Trajectory way = turned({.steps = 24});
  ASSERT_EQ(way.embedding.rows(), 25);
  EXPECT_EQ(way.angle_deg.back(), 360.0);
  EXPECT_LT((way.embedding.row(24) - way.embedding.row(0)).norm(), 1e-4);
  EXPECT_NEAR(way.to_start.front(), 1.0, 1e-6);
  EXPECT_NEAR(way.to_start.back(), 1.0, 1e-6);
}

TEST(TrajectoryTest, AnEquivariantEmbeddingIsWhereItIsPredictedAndMoves) {
  const Trajectory way = turned({.axis = {0.0, 1.0, 0.5}, .steps = 24});
  EXPECT_GT(*std::ranges::min_element(way.to_predicted), 0.9999);
  EXPECT_LT(*std::ranges::min_element(way.to_start), 0.95);
}

TEST(TrajectoryTest, APredictorThatHasLearntNothingIsWrong) {
  const Trajectory way = turned({.steps = 12}, "transformer", "sie");
  EXPECT_LT(way.to_predicted[6], 0.9);
}

TEST(TrajectoryTest, OtherPointsAtEveryStepStayNearTheWay) {
  const Trajectory way = turned({.steps = 12, .resample = true, .seed = 3});
  EXPECT_LT(way.to_predicted[5], 0.99999);
  EXPECT_GT(way.to_predicted[5], 0.3);
  EXPECT_EQ(turned({.steps = 12, .resample = true, .seed = 3}).to_predicted, way.to_predicted);
  EXPECT_NE(turned({.steps = 12, .resample = true, .seed = 4}).to_predicted, way.to_predicted);
}

TEST(TrajectoryTest, AnAxisWithoutDirectionIsAnInputError) {
  EXPECT_THROW(turned({.axis = {0, 0, 0}}), InputError);
}

}  // namespace
}  // namespace pointpng
