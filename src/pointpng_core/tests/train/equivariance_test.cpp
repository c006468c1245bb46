#include "train/equivariance.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using torch::Tensor;

ShapeSet some_shapes(std::int64_t points) {
  ShapeSet set;
  for (std::uint64_t i = 0; i < 3; ++i)
    set.shapes.push_back({random_cloud(points, i), 0, "shape " + std::to_string(i)});
  return set;
}

/// Pairs of the same points, rotated: only the rotation differs.
TurnedPairs same_points(const ModelConfig& config, std::int64_t count) {
  TurnedPairs pairs = turned_pairs(some_shapes(1000), config, count, 1);
  pairs.target = rotation::rotate(pairs.rotation, pairs.source);
  return pairs;
}

Tensor covariance(const Tensor& clouds) {
  const Tensor centred = clouds - clouds.mean(1, true);
  return centred.transpose(1, 2).matmul(centred) / static_cast<double>(clouds.size(1));
}

TEST(TurnedPairsTest, GoRoundTheShapesAndFollowTheirSeed) {
  const ModelConfig config = small_config();
  const TurnedPairs pairs = turned_pairs(some_shapes(600), config, 5, 1);
  ASSERT_EQ(pairs.source.sizes(), (torch::IntArrayRef{5, config.points, 3}));
  EXPECT_EQ(pairs.names[4], "shape 1");
  const TurnedPairs again = turned_pairs(some_shapes(600), config, 5, 1);
  EXPECT_TRUE(again.source.equal(pairs.source));
  EXPECT_TRUE(again.target.equal(pairs.target));
  EXPECT_TRUE(again.rotation.equal(pairs.rotation));
  EXPECT_FALSE(turned_pairs(some_shapes(600), config, 5, 2).rotation.equal(pairs.rotation));
}

TEST(TurnedPairsTest, TheFirstPairsDoNotDependOnHowManyFollow) {
  const ModelConfig config = small_config();
  const TurnedPairs few = turned_pairs(some_shapes(600), config, 2, 1);
  const TurnedPairs many = turned_pairs(some_shapes(600), config, 6, 1);
  EXPECT_TRUE(many.rotation.narrow(0, 0, 2).equal(few.rotation));
  EXPECT_TRUE(many.target.narrow(0, 0, 2).equal(few.target));
}

TEST(TurnedPairsTest, TheRotationTakesSourceToTarget) {
  ModelConfig config = small_config();
  config.points = 2000;
  const TurnedPairs pairs = turned_pairs(some_shapes(4000), config, 6, 1);
  const Tensor turned = rotation::rotate(pairs.rotation, pairs.source);
  const Tensor expected = covariance(pairs.target);  // of another sample of the same surface
  EXPECT_LT(difference(covariance(turned), expected), 0.03);
  EXPECT_GT(difference(covariance(pairs.source), expected), 0.1);
}

TEST(TurnedPairsTest, TheTwoSamplesOfASurfaceShareNoPoint) {
  ModelConfig config = small_config();
  config.points = 300;
  const TurnedPairs pairs = turned_pairs(some_shapes(600), config, 3, 1);
  const Tensor turned = rotation::rotate(pairs.rotation, pairs.source);
  // The centroids differ a little; points that were the same would all be off by that alone.
  for (std::int64_t i = 0; i < 3; ++i) {
    const Tensor nearest = std::get<0>(torch::cdist(turned[i], pairs.target[i]).min(1));
    EXPECT_GT(nearest.std().item<double>(), 0.01) << i;
  }
}

TEST(TurnedPairsTest, WithoutUsableShapesIsAnInputError) {
  EXPECT_THROW(turned_pairs({}, small_config(), 4, 1), InputError);
  EXPECT_THROW(turned_pairs(some_shapes(6), small_config(), 4, 1), InputError);
}

TEST(EquivarianceTest, ExactEquivarianceOnTheSamePointsIsPerfect) {
  at::manual_seed(1);
  Model model(small_config());
  model.eval();
  const Equivariance result = measure_equivariance(model, same_points(model.config(), 20));
  EXPECT_EQ(result.pairs, 20);
  EXPECT_NEAR(result.pa, 1.0, 1e-5);
  EXPECT_LT(result.search.median_deg, 0.1);
}

TEST(EquivarianceTest, AbsoluteEquivarianceIsWhatThePredictorAddsToPlainSimilarity) {
  at::manual_seed(2);
  Model model(small_config());
  model.eval();
  const TurnedPairs pairs = same_points(model.config(), 12);
  const Tensor z = model.embed(pairs.source), z_plus = model.embed(pairs.target);
  const double plain = (z * z_plus).sum(-1).mean().item<double>();
  const Equivariance result = measure_equivariance(model, pairs);
  EXPECT_NEAR(result.ae, result.pa - plain, 1e-5);
  EXPECT_GT(result.ae, 0.05);
}

TEST(EquivarianceTest, NothingTurnedMeansNothingAdded) {
  at::manual_seed(3);
  Model model(small_config());
  model.eval();
  TurnedPairs pairs = same_points(model.config(), 6);
  pairs.rotation = torch::tensor({1.0F, 0.0F, 0.0F, 0.0F}).repeat({6, 1});
  EXPECT_NEAR(measure_equivariance(model, pairs).ae, 0.0, 1e-5);
}

// A predictor that has learnt nothing has no accuracy: PA must not be high by construction.
TEST(EquivarianceTest, AnUntrainedPredictorHasNoAccuracy) {
  at::manual_seed(4);
  Model model(small_config("transformer", "sie"));
  model.eval();
  const RotationSearchConfig quick{.starts = 2, .steps = 1};
  EXPECT_LT(measure_equivariance(model, same_points(model.config(), 12), quick).pa, 0.7);
}

TEST(EquivarianceTest, MeasuringLeavesTheModelAsItWas) {
  at::manual_seed(5);
  ModelConfig config = small_config();
  config.patch_batch_norm = true;
  Model model(config);
  model.eval();
  const TurnedPairs pairs = same_points(config, 4);
  const double first = measure_equivariance(model, pairs).pa;
  EXPECT_EQ(measure_equivariance(model, pairs).pa, first);
  for (const Tensor& parameter : model.parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(EquivarianceTest, PrintsTheContractOfTheCommandLine) {
  Model model(small_config());
  model.eval();
  const nlohmann::json json = measure_equivariance(model, same_points(model.config(), 3));
  EXPECT_EQ(json["pairs"], 3);
  for (const char* field : {"pa", "ae", "rotation_deg", "success"})
    EXPECT_TRUE(json.contains(field));
}

}  // namespace
}  // namespace pointpng
