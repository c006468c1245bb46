// The methods that Point-PNG is compared with: their losses are as published, and they train.

#include <atomic>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/unit.h"
#include "pointpng/error.h"
#include "train/losses.h"
#include "train/small_run.h"
#include "train/trainer.h"

namespace pointpng {
namespace {

Tensor embeddings(std::int64_t count, std::int64_t length) {
  return unit(torch::randn({count, length}, torch::kFloat64));
}

struct Method {
  std::string objective, predictor;
};

ModelConfig model_for(const Method& method, const std::string& backbone = "transformer") {
  ModelConfig model = smallest_model();
  model.backbone = backbone;
  model.predictor = method.predictor;
  if (method.objective == "sie") model.sie_invariant = model.embedding / 2;
  return model;
}

TrainConfig training_for(const Method& method, std::int64_t steps) {
  TrainConfig train = short_training(1);
  train.objective = method.objective;
  train.steps = steps;
  return train;
}

TEST(ContrastiveLossTest, IsAlignmentPlusUniformity) {
  at::manual_seed(1);
  const Tensor z = embeddings(6, 5), z_plus = embeddings(6, 5);
  double align = 0.0, potential = 0.0;
  int pairs = 0;
  const Tensor all = torch::cat({z, z_plus});
  for (int i = 0; i < 6; ++i) align += (z[i] - z_plus[i]).square().sum().item<double>() / 6.0;
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 12; ++k) {
      if (i % 6 == k % 6) continue;
      potential += std::exp(-(all[i] - all[k]).square().sum().item<double>() / 0.4);
      ++pairs;
    }
  EXPECT_NEAR(contrastive_loss(z, z_plus, 0.4).item<double>(), align + std::log(potential / pairs),
              1e-12);
}

// The paper's appendix: with an identity predictor and invariant features every term that could
// tell is zero, and only the regularisation of Z itself is left.
TEST(SieLossTest, AnIdentityPredictorOnInvariantFeaturesCostsNothing) {
  at::manual_seed(2);
  const Tensor z = embeddings(64, 8);
  const SieLoss loss = sie_loss(/*predicted=*/z, z, /*z_plus=*/z, 4, LossConfig{});
  EXPECT_NEAR(loss.invariance.item<double>(), 0.0, 1e-15);
  EXPECT_NEAR(loss.equivariance.item<double>(), 0.0, 1e-15);
  // Rows of ±√d e_i have variance above 1 and no covariance: the loss has reached its minimum.
  const Tensor axes = torch::eye(8, torch::kFloat64);
  const Tensor spread = torch::cat({axes, -axes});
  EXPECT_NEAR(sie_loss(spread, spread, spread, 4, LossConfig{}).total.item<double>(), 0.0, 1e-3);
}

TEST(SieLossTest, EachPartLooksAtItsOwnNumbers) {
  at::manual_seed(3);
  const Tensor z = embeddings(10, 6), z_plus = embeddings(10, 6), predicted = embeddings(10, 6);
  const SieLoss loss = sie_loss(predicted, z, z_plus, 2, LossConfig{});
  const double invariance = 6.0 * (z - z_plus).narrow(1, 0, 2).square().mean().item<double>();
  const double equivariance =
      6.0 * (predicted - z_plus).narrow(1, 2, 4).square().mean().item<double>();
  EXPECT_NEAR(loss.invariance.item<double>(), invariance, 1e-12);
  EXPECT_NEAR(loss.equivariance.item<double>(), equivariance, 1e-12);
  EXPECT_NEAR(loss.total.item<double>(),
              10.0 * invariance + 4.5 * equivariance + loss.regularisation.item<double>() +
                  loss.stability.item<double>(),
              1e-12);
}

TEST(SieLossTest, RegularisationSeesCollapsedAndCorrelatedNumbers) {
  at::manual_seed(4);
  const Tensor one = embeddings(1, 8).expand({32, 8});
  EXPECT_NEAR(sie_loss(one, one, one, 0, LossConfig{}).regularisation.item<double>(), 19.8, 0.01);
  LossConfig covariance_only;
  covariance_only.sie_variance = 0.0;
  const Tensor free = embeddings(4096, 4);
  const Tensor tied = unit(free.narrow(1, 0, 1).expand({-1, 4}).contiguous());
  EXPECT_LT(sie_loss(free, free, free, 0, covariance_only).regularisation.item<double>(), 0.05);
  EXPECT_GT(sie_loss(tied, tied, tied, 0, covariance_only).regularisation.item<double>(), 3.0);
}

class BaselineTest : public testing::TestWithParam<Method> {};

TEST_P(BaselineTest, LowersItsLossAndSavesAModel) {
  const TemporaryFolder scratch;
  const TrainConfig train = training_for(GetParam(), 60);
  const ModelConfig model = model_for(GetParam());
  torch::manual_seed(1);
  const auto objective = make_objective(model, train);
  const PairSource source = small_source(model, train);
  RunFolder folder = RunFolder::create(scratch / "run", config_of(train));
  const torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  const auto loss_now = [&] {
    double sum = 0.0;
    for (std::int64_t step = 1000; step < 1008; ++step)
      sum += objective->loss(source.make(step), generator).total.item<double>();
    return sum;
  };
  const double before = loss_now();
  Trainer trainer(*objective, source, train, folder, torch::kCPU);
  const std::atomic<bool> stop = false;
  EXPECT_EQ(trainer.run(stop, {}), TrainEnd::kFinished);
  EXPECT_EQ(trainer.step(), 60);
  EXPECT_LT(loss_now(), before);

  const LoadedModel loaded = load_model(scratch / "run" / "model.safetensors");
  EXPECT_EQ(loaded.model->config().predictor, GetParam().predictor);
  for (const auto& [name, tensor] : read_safetensors(scratch / "run" / "model.safetensors").tensors)
    EXPECT_TRUE(name.starts_with("backbone.") || name.starts_with("predictor.")) << name;
}

TEST_P(BaselineTest, EveryWeightHasAGradient) {
  for (const char* backbone : {"transformer", "equivariant"}) {
    const ModelConfig model = model_for(GetParam(), backbone);
    const TrainConfig train = training_for(GetParam(), 1);
    torch::manual_seed(1);
    const auto objective = make_objective(model, train);
    const torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
    objective->loss(small_source(model, train).make(0), generator).total.backward();
    for (const auto& item : objective->module().named_parameters())
      EXPECT_TRUE(item.value().grad().defined()) << item.key();
  }
}

TEST_P(BaselineTest, CanStartFromAnEncoder) {
  const TemporaryFolder scratch;
  const ModelConfig model = model_for(GetParam());
  TrainConfig masked = training_for({"mae", ""}, 1);
  masked.mask_ratio = 0.5;
  make_objective(model, masked)->save(scratch / "encoder.safetensors", {});
  const auto objective = make_objective(model, training_for(GetParam(), 1));
  EXPECT_GT(initialise_encoder(*objective, model, scratch / "encoder.safetensors"), 10);
}

INSTANTIATE_TEST_SUITE_P(Methods, BaselineTest,
                         testing::Values(Method{"simclr", "identity"}, Method{"sen", "sen"},
                                         Method{"equimod", "equimod"}, Method{"sie", "sie"}),
                         [](const auto& info) { return info.param.objective; });

TEST(StepsTest, ARunOfStepsHasSoManyWhateverTheEpochs) {
  const TemporaryFolder scratch;
  TrainConfig train = short_training(50);
  train.steps = 3;
  const ModelConfig model = smallest_model();
  const auto objective = make_objective(model, train);
  RunFolder folder = RunFolder::create(scratch / "run", config_of(train));
  const PairSource source = small_source(model, train);
  Trainer trainer(*objective, source, train, folder, torch::kCPU);
  const std::atomic<bool> stop = false;
  trainer.run(stop, {});
  EXPECT_EQ(trainer.step(), 3);
  train.minutes = 1.0;
  EXPECT_THROW(validate(train), InputError);
}

}  // namespace
}  // namespace pointpng
