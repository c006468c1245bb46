#include "model/predictors.h"

#include <numbers>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"
#include "model/unit.h"
#include "model/wigner.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

Tensor random_rotations(torch::IntArrayRef shape) {
  return rotation::canonical(rotation::uniform(shape).to(torch::kFloat64));
}

Tensor random_embeddings(const ModelConfig& config, std::int64_t count) {
  return unit(torch::randn({count, embedding_length(config)}, torch::kFloat64));
}

std::shared_ptr<Predictor> predictor_in_double(const ModelConfig& config) {
  auto predictor = make_predictor(config);
  predictor->to(torch::kFloat64);
  return predictor;
}

std::int64_t parameter_count(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

ModelConfig cope_config(const std::string& input) {
  ModelConfig config = small_config("transformer", "cope");
  config.cope_input = input;
  return config;
}

// ---- all predictors

class EveryPredictor : public ::testing::TestWithParam<std::string> {
 protected:
  EveryPredictor() { at::manual_seed(1); }
  ModelConfig config_ = small_config("transformer", GetParam());
  std::shared_ptr<Predictor> predictor_ = predictor_in_double(config_);
};
INSTANTIATE_TEST_SUITE_P(PredictorTest, EveryPredictor,
                         ::testing::Values("wigner", "cope", "sie", "equimod", "sen", "identity"));

TEST_P(EveryPredictor, GivesUnitVectors) {
  const Tensor turned = predictor_->apply(random_rotations({20}), random_embeddings(config_, 20));
  EXPECT_LT((turned.norm(2, -1) - 1.0).abs().max().item<double>(), 1e-12);
}

TEST_P(EveryPredictor, BroadcastsRotationsAgainstEmbeddings) {
  const Tensor g = random_rotations({5}), z = random_embeddings(config_, 4);
  const Tensor all = predictor_->apply(g.unsqueeze(0), z.unsqueeze(1));
  ASSERT_EQ(all.sizes(), (torch::IntArrayRef{4, 5, z.size(1)}));
  EXPECT_LT(difference(all[2][3], predictor_->apply(g[3], z[2])), 1e-13);
}

TEST_P(EveryPredictor, SimilarityWithSharedRotationsIsApplyThenInnerProduct) {
  const Tensor g = random_rotations({7});
  const Tensor source = random_embeddings(config_, 4), target = random_embeddings(config_, 4);
  const Tensor turned = predictor_->apply(g.unsqueeze(0), source.unsqueeze(1));  // [4, 7, d]
  const Tensor expected = (turned * target.unsqueeze(1)).sum(-1);
  EXPECT_LT(difference(predictor_->similarity(g, source, target), expected), 1e-13);
}

TEST_P(EveryPredictor, SimilarityWithRotationsOfEachPairIsApplyThenInnerProduct) {
  const Tensor g = random_rotations({4, 7});
  const Tensor source = random_embeddings(config_, 4), target = random_embeddings(config_, 4);
  const Tensor expected = (predictor_->apply(g, source.unsqueeze(1)) * target.unsqueeze(1)).sum(-1);
  EXPECT_LT(difference(predictor_->similarity(g, source, target), expected), 1e-13);
}

TEST_P(EveryPredictor, GradientWithRespectToTheRotationIsThatOfFiniteDifferences) {
  const Tensor source = random_embeddings(config_, 2), target = random_embeddings(config_, 2);
  const Tensor weights = torch::randn({2, 3}, torch::kFloat64);
  const auto weighted = [&](const Tensor& g) {
    return (predictor_->similarity(g, source, target) * weights).sum();
  };
  for (const Tensor& g : {random_rotations({3}), random_rotations({2, 3})})
    EXPECT_LT(difference(exact_gradient(weighted, g), numeric_gradient(weighted, g)), 1e-7);
}

TEST_P(EveryPredictor, GradientWithRespectToTheEmbeddingIsThatOfFiniteDifferences) {
  const Tensor g = random_rotations({2}), target = random_embeddings(config_, 2);
  const auto aligned = [&](const Tensor& z) { return (predictor_->apply(g, z) * target).sum(); };
  const Tensor z = random_embeddings(config_, 2);
  EXPECT_LT(difference(exact_gradient(aligned, z), numeric_gradient(aligned, z)), 1e-7);
}

TEST_P(EveryPredictor, DoesNotCareForTheSignOfAQuaternion) {
  const Tensor g = random_rotations({20}), z = random_embeddings(config_, 20);
  EXPECT_LT(difference(predictor_->apply(g, z), predictor_->apply(-g, z)), 1e-13);
}

// ---- wigner

class WignerTest : public ::testing::Test {
 protected:
  WignerTest() { at::manual_seed(2); }
  ModelConfig config_ = small_config();
  std::shared_ptr<Predictor> predictor_ = make_predictor(config_);
};

TEST_F(WignerTest, TurningTwiceIsTurningByTheProduct) {
  const Tensor g = random_rotations({30}), h = random_rotations({30});
  const Tensor z = random_embeddings(config_, 30);
  EXPECT_LT(difference(predictor_->apply(g, predictor_->apply(h, z)),
                       predictor_->apply(rotation::multiply(g, h), z)),
            1e-13);
}

TEST_F(WignerTest, TurningBackGivesTheEmbeddingBack) {
  const Tensor g = random_rotations({30}), z = random_embeddings(config_, 30);
  EXPECT_LT(difference(predictor_->apply(rotation::inverse(g), predictor_->apply(g, z)), z), 1e-13);
  EXPECT_TRUE(predictor_->exact());
}

TEST_F(WignerTest, KeepsInnerProducts) {
  const Tensor g = random_rotations({30});
  const Tensor a = random_embeddings(config_, 30), b = random_embeddings(config_, 30);
  const Tensor after = (predictor_->apply(g, a) * predictor_->apply(g, b)).sum(-1);
  EXPECT_LT(difference(after, (a * b).sum(-1)), 1e-13);
}

TEST_F(WignerTest, HasNoParameters) { EXPECT_EQ(parameter_count(*predictor_), 0); }

TEST_F(WignerTest, TheCorrelationHoldsAllThatTheSimilarityDependsOn) {
  const Tensor g = random_rotations({9});
  const Tensor source = random_embeddings(config_, 4), target = random_embeddings(config_, 4);
  const Tensor correlation = correlate(source, target, config_.channels);
  ASSERT_EQ(correlation.size(1), 1 + 9 + 25 + 49);
  const Tensor expected =
      (predictor_->apply(g.unsqueeze(0), source.unsqueeze(1)) * target.unsqueeze(1)).sum(-1);
  EXPECT_LT(difference(correlation.matmul(flat_wigner(g, 3).t()), expected), 1e-13);
}

TEST_F(WignerTest, DegreesWithoutChannelsAreAllowed) {
  config_.channels = {0, 4, 0, 2};
  const auto predictor = make_predictor(config_);
  const Tensor g = random_rotations({5});
  const Tensor source = random_embeddings(config_, 3), target = random_embeddings(config_, 3);
  const Tensor expected =
      (predictor->apply(g.unsqueeze(0), source.unsqueeze(1)) * target.unsqueeze(1)).sum(-1);
  EXPECT_LT(difference(predictor->similarity(g, source, target), expected), 1e-13);
}

TEST_F(WignerTest, FloatIsGoodToFloatPrecision) {
  const Tensor g = random_rotations({30}), z = random_embeddings(config_, 30);
  const Tensor rounded = predictor_->apply(g.to(torch::kFloat32), z.to(torch::kFloat32));
  EXPECT_LT(difference(rounded, predictor_->apply(g, z)), 3e-6);
}

// ---- cope and sie

class CopeTest : public ::testing::TestWithParam<std::string> {
 protected:
  CopeTest() { at::manual_seed(3); }
};
INSTANTIATE_TEST_SUITE_P(PredictorTest, CopeTest, ::testing::Values("quaternion", "matrix"));

TEST_P(CopeTest, WithoutTheMatrixEqualsWithTheMatrix) {
  const ModelConfig config = cope_config(GetParam());
  CopePredictor cope(config);
  cope.to(torch::kFloat64);
  const Tensor g = random_rotations({20}), z = random_embeddings(config, 20);
  const Tensor product = cope.matrix(g).matmul(z.unsqueeze(-1)).squeeze(-1);
  EXPECT_LT(difference(cope.apply(g, z), unit(product)), 1e-12);
}

TEST_P(CopeTest, GradientsOfItsWeightsAreThoseOfThePlainProduct) {
  const ModelConfig config = cope_config(GetParam());
  CopePredictor cope(config);
  cope.to(torch::kFloat64);
  const Tensor g = random_rotations({6}), z = random_embeddings(config, 6),
               target = random_embeddings(config, 6);
  const auto gradients = [&](const Tensor& turned) {
    cope.zero_grad();
    (turned * target).sum().backward();
    std::vector<Tensor> found;
    for (const Tensor& parameter : cope.parameters()) found.push_back(parameter.grad().clone());
    return found;
  };
  const auto quick = gradients(cope.apply(g, z));
  const auto plain = gradients(unit(cope.matrix(g).matmul(z.unsqueeze(-1)).squeeze(-1)));
  for (std::size_t i = 0; i < quick.size(); ++i) EXPECT_LT(difference(quick[i], plain[i]), 1e-12);
}

double jump_at_half_turn(const std::string& input) {
  const ModelConfig config = cope_config(input);
  const auto cope = predictor_in_double(config);
  const Tensor axis = torch::tensor({0.6, 0.0, 0.8}, torch::kFloat64);
  const Tensor z = random_embeddings(config, 1)[0];
  const auto beyond = [&](double angle) {
    return cope->apply(rotation::exp((std::numbers::pi + angle) * axis), z);
  };
  return difference(beyond(1e-7), beyond(-1e-7));
}

TEST(CopeInputTest, TheMatrixHasNoJumpAtAHalfTurn) {
  at::manual_seed(4);
  EXPECT_LT(jump_at_half_turn("matrix"), 1e-5);
  EXPECT_GT(jump_at_half_turn("quaternion"), 1e-3);  // w changes its sign; the matrix does not
}

// The paper's width and reduction: d = 384, k = 4.
TEST(ParameterCountTest, CopeHasThePapersTwoHundredThousandAndSieItsMillions) {
  ModelConfig config = small_config("transformer", "cope");
  config.embedding = 384;
  config.cope_hidden = ModelConfig().cope_hidden;
  config.cope_mlp = ModelConfig().cope_mlp;
  EXPECT_NEAR(static_cast<double>(parameter_count(*make_predictor(config))), 200e3, 20e3);
  config.predictor = "sie";
  EXPECT_GT(parameter_count(*make_predictor(config)), 5'000'000);
}

TEST(MakePredictorTest, AnUnknownNameIsAnInputError) {
  EXPECT_THROW(make_predictor(small_config("transformer", "magic")), InputError);
}

}  // namespace
}  // namespace pointpng
