#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/model.h"
#include "model/rotation.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

Cloud turned_cloud(const Cloud& cloud, const Tensor& q) {
  const Tensor turned = rotation::rotate(q, as_tensor(cloud)).contiguous();
  return Eigen::Map<const Cloud>(turned.data_ptr<float>(), cloud.rows(), 3);
}

Cloud shuffled_cloud(const Cloud& cloud, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(cloud.rows()));
  std::iota(order.begin(), order.end(), 0);
  Random({seed}).shuffle(order);
  Cloud shuffled(cloud.rows(), 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    shuffled.row(i) = cloud.row(order[static_cast<std::size_t>(i)]);
  return shuffled;
}

/// Patches of a few clouds.
Patches some_patches(const ModelConfig& config, std::int64_t batch) {
  std::vector<Tensor> clouds;
  for (std::int64_t i = 0; i < batch; ++i)
    clouds.push_back(prepare(random_cloud(400, static_cast<std::uint64_t>(i)), config));
  return cut_patches(torch::stack(clouds), config);
}

class EveryVariant
    : public ::testing::TestWithParam<std::tuple<std::string, std::pair<bool, bool>>> {
 protected:
  EveryVariant() { at::manual_seed(1); }
  ModelConfig config() const {
    const auto& [backbone, options] = GetParam();
    ModelConfig config = small_config(backbone);
    config.patch_moments = options.first;
    config.patch_batch_norm = options.second;
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(BackboneTest, EveryVariant,
                         ::testing::Combine(::testing::Values("equivariant", "transformer"),
                                            ::testing::Values(std::pair{true, false},
                                                              std::pair{false, false},
                                                              std::pair{true, true})),
                         [](const auto& tested) {
                           const auto& options = std::get<1>(tested.param);
                           return std::get<0>(tested.param) + (options.first ? "_moments" : "") +
                                  (options.second ? "_batch_norm" : "");
                         });

// Rounding errors: 1e-7 in the coordinates, amplified by the layers.
constexpr double kFloatPrecision = 5e-5;

TEST_P(EveryVariant, TheEmbeddingHasLengthOne) {
  Model model(config());
  const Tensor z = model.embed(random_cloud(300, 1));
  EXPECT_EQ(z.sizes(), (torch::IntArrayRef{1, embedding_length(model.config())}));
  EXPECT_NEAR(z.norm().item<double>(), 1.0, 1e-6);
}

TEST_P(EveryVariant, TheSameCloudGivesTheSameEmbedding) {
  Model model(config());
  const Cloud cloud = random_cloud(300, 2);
  EXPECT_TRUE(model.embed(cloud).equal(model.embed(cloud)));
}

TEST_P(EveryVariant, EmbeddingOneCloudDoesNotChangeTheModel) {
  Model model(config());
  model.eval();
  std::vector<Tensor> before;
  for (const Tensor& buffer : model.buffers()) before.push_back(buffer.clone());
  model.embed(random_cloud(300, 3));
  EXPECT_FALSE(model.is_training());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(before[i].equal(model.buffers()[i]));
}

TEST_P(EveryVariant, TheOrderOfPointsDoesNotMatter) {
  Model model(config());
  for (const std::int64_t count : {50, 128, 129, 400}) {  // fewer than 128 are repeated
    const Cloud cloud = random_cloud(count, static_cast<std::uint64_t>(count));
    EXPECT_LT(difference(model.embed(shuffled_cloud(cloud, 5)), model.embed(cloud)),
              kFloatPrecision)
        << count << " points";
  }
}

TEST_P(EveryVariant, PlaceAndScaleDoNotMatter) {
  Model model(config());
  const Cloud cloud = random_cloud(400, 6);
  const Cloud moved = (8.0F * cloud).rowwise() + Eigen::RowVector3f(3.0F, -20.0F, 7.0F);
  EXPECT_LT(difference(model.embed(moved), model.embed(cloud)), kFloatPrecision);
}

TEST_P(EveryVariant, AMembersEmbeddingDoesNotDependOnTheRestOfItsBatch) {
  Model model(config());
  model.eval();
  const Patches patches = some_patches(model.config(), 3);
  const Patches alone{patches.centres.narrow(0, 1, 1), patches.points.narrow(0, 1, 1)};
  EXPECT_LT(difference(model.backbone().embed(patches)[1], model.backbone().embed(alone)[0]),
            kFloatPrecision);
}

TEST_P(EveryVariant, EncodingTellsEveryLayer) {
  Model model(config());
  std::vector<Tensor> layers;
  const Tensor tokens = model.backbone().encode(some_patches(model.config(), 2), &layers);
  EXPECT_EQ(tokens.sizes(), (torch::IntArrayRef{2, 12, 32}));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[1].sizes(), tokens.sizes());
}

// Everything is differentiable in double, too: the gradient against finite differences.
TEST_P(EveryVariant, TheGradientOfAnEmbeddingIsThatOfFiniteDifferences) {
  Model model(config());
  model.to(torch::kFloat64);
  model.eval();
  Patches patches = some_patches(model.config(), 1);
  patches = {patches.centres.to(torch::kFloat64), patches.points.to(torch::kFloat64)};
  const Tensor weights = torch::randn({1, embedding_length(model.config())}, torch::kFloat64);
  const auto weighted = [&](const Tensor& centres) {
    return (model.backbone().embed({centres, patches.points}) * weights).sum();
  };
  EXPECT_LT(difference(exact_gradient(weighted, patches.centres),
                       numeric_gradient(weighted, patches.centres)),
            1e-6);
}

class EquivarianceTest : public ::testing::TestWithParam<std::tuple<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(BackboneTest, EquivarianceTest,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()));

TEST_P(EquivarianceTest, TheEmbeddingTurnsExactlyAsTheCloudTurns) {
  at::manual_seed(2);
  ModelConfig config = small_config();
  config.patch_moments = std::get<0>(GetParam());
  config.patch_batch_norm = std::get<1>(GetParam());
  Model model(config);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Cloud cloud = random_cloud(500, seed);
    const Tensor q = rotation::uniform({1});
    const Tensor expected = model.predictor().apply(q, model.embed(cloud));
    EXPECT_LT(difference(model.embed(turned_cloud(cloud, q[0])), expected), kFloatPrecision)
        << seed;
  }
}

TEST(EquivariantBackboneTest, ItIsNoTrivialEquivariance) {
  at::manual_seed(3);
  Model model(small_config());
  const Cloud cloud = random_cloud(500, 1);
  const Tensor half_turn = torch::tensor({0.0F, 1.0F, 0.0F, 0.0F});
  EXPECT_GT(difference(model.embed(turned_cloud(cloud, half_turn)), model.embed(cloud)), 0.05);
  EXPECT_GT(difference(model.embed(random_cloud(500, 2)), model.embed(cloud)), 1e-3);
}

TEST(EquivariantBackboneTest, ItsTokensDoNotChangeWhenTheCloudTurns) {
  at::manual_seed(4);
  const ModelConfig config = small_config();
  const auto backbone = make_backbone(config);
  backbone->to(torch::kFloat64);
  Patches patches = some_patches(config, 3);
  patches = {patches.centres.to(torch::kFloat64), patches.points.to(torch::kFloat64)};
  const Patches turned = patches.rotated(rotation::uniform({3}).to(torch::kFloat64));
  // Quaternions of unit length in float: 1e-7.
  EXPECT_LT(difference(backbone->encode(turned), backbone->encode(patches)), 1e-5);
  EXPECT_LT(difference(backbone->place_bias(turned), backbone->place_bias(patches)), 1e-5);
}

class EveryCombination : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(ModelTest, EveryCombination,
                         ::testing::Combine(::testing::Values("equivariant", "transformer"),
                                            ::testing::Values("wigner", "cope", "sie")),
                         [](const auto& tested) {
                           return std::get<0>(tested.param) + "_" + std::get<1>(tested.param);
                         });

TEST_P(EveryCombination, BackpropagatesFiniteGradientsToEveryParameter) {
  at::manual_seed(5);
  Model model(small_config(std::get<0>(GetParam()), std::get<1>(GetParam())));
  const Patches patches = some_patches(model.config(), 4);
  const Tensor q = rotation::uniform({4});
  const Tensor z = model.backbone().embed(patches),
               turned = model.backbone().embed(patches.rotated(q));
  const Tensor wrong = model.predictor().similarity(rotation::uniform({8}), z, turned);
  ((model.predictor().apply(q, z) - turned.roll(1, 0)).square().sum() + wrong.exp().sum())
      .backward();
  for (const auto& parameter : model.named_parameters()) {
    const Tensor gradient = parameter.value().grad();
    ASSERT_TRUE(gradient.defined()) << parameter.key();
    EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << parameter.key();
    EXPECT_GT(gradient.abs().max().item<double>(), 0.0) << parameter.key();
  }
}

TEST_P(EveryCombination, EmbedsABatchAsItEmbedsEachCloud) {
  at::manual_seed(6);
  Model model(small_config(std::get<0>(GetParam()), std::get<1>(GetParam())));
  model.eval();
  const Cloud a = random_cloud(300, 1), b = random_cloud(300, 2);
  const Tensor both =
      model.embed(torch::stack({prepare(a, model.config()), prepare(b, model.config())}));
  EXPECT_LT(difference(both, torch::cat({model.embed(a), model.embed(b)})), kFloatPrecision);
}

// ---- invalid clouds and small clouds

TEST(PrepareTest, UnusableCloudsAreInputErrorsThatNameTheCloud) {
  const ModelConfig config = small_config();
  Cloud with_nan = random_cloud(100, 1);
  with_nan(3, 2) = std::numeric_limits<float>::quiet_NaN();
  for (const Cloud& wrong : {Cloud(0, 3), Cloud(random_cloud(1, 1)), Cloud(Cloud::Ones(100, 3)),
                             with_nan, random_cloud(config.patch_points - 1, 1)})
    try {
      prepare(wrong, config, "the scan");
      FAIL() << "a cloud of " << wrong.rows() << " points was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("the scan"), std::string::npos) << error.what();
    }
}

TEST(PrepareTest, GivesExactlyThePointsOfTheModelInTheUnitSphere) {
  const ModelConfig config = small_config();
  for (const std::int64_t count : {8, 20, 127, 128, 129, 1000}) {
    const Tensor points = prepare(50.0F * random_cloud(count, 1), config);
    ASSERT_EQ(points.sizes(), (torch::IntArrayRef{config.points, 3})) << count;
    EXPECT_LE(points.norm(2, -1).max().item<double>(), 1.0 + 1e-6) << count;
  }
}

TEST(PrepareTest, SmallCloudsKeepAllTheirPoints) {
  const ModelConfig config = small_config();
  const Tensor prepared = prepare(random_cloud(100, 1), config);
  const auto distinct = std::get<0>(torch::unique_dim(prepared, 0));
  EXPECT_EQ(distinct.size(0), 100);
}

TEST(PatchesTest, ArePointsOfTheCloudRelativeToTheirCentre) {
  const ModelConfig config = small_config();
  const Tensor cloud = prepare(random_cloud(400, 1), config).unsqueeze(0);
  const Patches patches = cut_patches(cloud, config);
  ASSERT_EQ(patches.points.sizes(), (torch::IntArrayRef{1, 12, 8, 3}));
  const Tensor members = (patches.points + patches.centres.unsqueeze(2)).view({-1, 3});
  EXPECT_LT(std::get<0>(torch::cdist(members, cloud[0]).min(1)).max().item<double>(), 1e-3);
  EXPECT_EQ(patches.points.select(2, 0).abs().max().item<double>(), 0.0);  // the centre itself
}

TEST(PatchesTest, TheFirstCentreCanBeGiven) {
  const ModelConfig config = small_config();
  const Tensor cloud = prepare(random_cloud(400, 1), config).unsqueeze(0);
  const Patches patches = cut_patches(cloud, config, torch::tensor({7}, torch::kInt64));
  EXPECT_TRUE(patches.centres[0][0].equal(cloud[0][7]));
}

TEST(PatchesTest, SelectTakesThePatchesOfEachCloud) {
  const Patches patches = some_patches(small_config(), 2);
  const Patches selected = patches.select(torch::tensor({3, 1, 0, 11}, torch::kInt64).view({2, 2}));
  EXPECT_TRUE(selected.centres[1][1].equal(patches.centres[1][11]));
  EXPECT_TRUE(selected.points[0][0].equal(patches.points[0][3]));
}

TEST(PatchesTest, RotatedPatchesAreThoseOfTheRotatedCloud) {
  const ModelConfig config = small_config();
  const Tensor cloud = prepare(random_cloud(400, 1), config).unsqueeze(0);
  const Tensor q = rotation::uniform({1});
  const Patches a = cut_patches(cloud, config).rotated(q);
  const Patches b = cut_patches(rotation::rotate(q, cloud), config);
  EXPECT_LT(difference(a.centres, b.centres), 1e-6);
  EXPECT_LT(difference(a.points, b.points), 1e-6);
}

TEST(MaskTest, VisibleAndHiddenPatchesAreAPartition) {
  const Mask mask = random_mask(16, 32, 0.6, std::nullopt, torch::kCPU);
  EXPECT_EQ(mask.visible.size(1), 13);  // round(0.4 · 32)
  const Tensor all = std::get<0>(torch::cat({mask.visible, mask.hidden}, 1).sort(1));
  EXPECT_TRUE(all.equal(torch::arange(32).expand({16, -1})));
}

TEST(MaskTest, AtLeastOnePatchStaysVisible) {
  EXPECT_EQ(random_mask(2, 10, 0.99, std::nullopt, torch::kCPU).visible.size(1), 1);
  EXPECT_EQ(random_mask(2, 10, 0.0, std::nullopt, torch::kCPU).hidden.size(1), 0);
}

/// 1 where a patch is visible, [batch, count].
Tensor visibility(const Mask& mask, std::int64_t count) {
  return torch::zeros({mask.visible.size(0), count}).scatter(1, mask.visible, 1.0);
}

// Independent masks of half the patches agree in a quarter of them, within random error.
TEST(MaskTest, AreIndependentBetweenViewsAndBetweenClouds) {
  constexpr std::int64_t kClouds = 2000, kPatches = 20;
  at::manual_seed(7);
  const Tensor first =
      visibility(random_mask(kClouds, kPatches, 0.5, std::nullopt, torch::kCPU), kPatches);
  const Tensor second =
      visibility(random_mask(kClouds, kPatches, 0.5, std::nullopt, torch::kCPU), kPatches);
  EXPECT_NEAR((first * second).mean().item<double>(), 0.25, 0.005);
  EXPECT_NEAR((first * first.roll(1, 0)).mean().item<double>(), 0.25, 0.005);
  // Five standard errors: every patch is visible equally often.
  EXPECT_LT((first.mean(0) - 0.5).abs().max().item<double>(), 0.056);
}

TEST(MaskTest, FollowsItsGenerator) {
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(5);
  const Mask a = random_mask(4, 20, 0.5, generator, torch::kCPU);
  generator.set_current_seed(5);
  EXPECT_TRUE(a.visible.equal(random_mask(4, 20, 0.5, generator, torch::kCPU).visible));
}

// ---- configurations

TEST(ModelConfigTest, SurvivesJson) {
  ModelConfig config = small_config("transformer", "cope");
  config.cope_input = "matrix";
  EXPECT_EQ(nlohmann::json(nlohmann::json(config).get<ModelConfig>()), nlohmann::json(config));
}

TEST(ModelConfigTest, NumbersThatDoNotFitTogetherAreInputErrors) {
  const auto wrong = [](auto&& change) {
    ModelConfig config = small_config();
    change(config);
    EXPECT_THROW(validate(config), InputError) << nlohmann::json(config);
  };
  EXPECT_NO_THROW(validate(small_config()));
  wrong([](ModelConfig& c) { c.backbone = "other"; });
  wrong([](ModelConfig& c) { c.cope_input = "angle"; });
  wrong([](ModelConfig& c) { c.width = 0; });
  wrong([](ModelConfig& c) { c.depth = -1; });
  wrong([](ModelConfig& c) { c.heads = 3; });
  wrong([](ModelConfig& c) { c.points = 10; });
  wrong([](ModelConfig& c) { c.patch_widths = {16, 16}; });
  wrong([](ModelConfig& c) { c.channels = {}; });
  wrong([](ModelConfig& c) { c.channels = {8}; });
  wrong([](ModelConfig& c) { c.channels = {8, -1, 3}; });
  wrong([](ModelConfig& c) { c.channels.assign(10, 1); });
  wrong([](ModelConfig& c) { c.cope_reduction = c.embedding + 1; });
}

}  // namespace
}  // namespace pointpng
