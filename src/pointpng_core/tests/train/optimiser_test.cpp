#include "train/optimiser.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

/// A matrix and a bias; their gradients are set by hand.
struct TwoTensors : torch::nn::Module {
  TwoTensors() {
    torch::manual_seed(1);
    weight = register_parameter("weight", torch::randn({3, 4}));
    bias = register_parameter("bias", torch::randn({4}));
  }
  Tensor weight, bias;
};

TrainConfig config_with(double weight_decay, double clip, double average = 0.0) {
  TrainConfig config;
  config.weight_decay = weight_decay;
  config.clip = clip;
  config.average = average;
  return config;
}

/// Gradients of step t, some positive, some negative.
Tensor gradient_at(int step, const Tensor& like) {
  return torch::sin(torch::arange(like.numel(), torch::kFloat32) + static_cast<float>(step))
      .view_as(like);
}

void set_gradients(TwoTensors& module, int step) {
  const torch::NoGradGuard no_grad;
  module.weight.mutable_grad().copy_(gradient_at(step, module.weight));
  module.bias.mutable_grad().copy_(gradient_at(step + 100, module.bias));
}

/// AdamW of one number, in double, as Loshchilov and Hutter write it.
struct PlainAdamW {
  double weight, decay, mean = 0.0, square = 0.0;
  int steps = 0;

  void step(double gradient, double rate) {
    ++steps;
    mean = 0.9 * mean + 0.1 * gradient;
    square = 0.98 * square + 0.02 * gradient * gradient;
    const double corrected = mean / (1.0 - std::pow(0.9, steps));
    const double spread = std::sqrt(square / (1.0 - std::pow(0.98, steps)));
    weight -= rate * decay * weight;
    weight -= rate * corrected / (spread + 1e-8);
  }
};

std::vector<PlainAdamW> plain_for(const Tensor& values, double decay) {
  std::vector<PlainAdamW> all;
  for (std::int64_t i = 0; i < values.numel(); ++i)
    all.push_back({values.view(-1)[i].item<double>(), decay});
  return all;
}

TEST(FlatAdamWTest, IsPlainAdamWWithDecayOfMatricesOnly) {
  TwoTensors module;
  auto weights = plain_for(module.weight, 0.3), biases = plain_for(module.bias, 0.0);
  FlatAdamW optimiser(module, config_with(0.3, 1e9));
  EXPECT_EQ(optimiser.count(), 16);
  for (int t = 0; t < 10; ++t) {
    set_gradients(module, t);
    const double rate = 0.05 / (1 + t);
    optimiser.step(rate);
    const Tensor of_weight = gradient_at(t, module.weight).view(-1),
                 of_bias = gradient_at(t + 100, module.bias);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i].step(of_weight[static_cast<std::int64_t>(i)].item<double>(), rate);
    for (std::size_t i = 0; i < biases.size(); ++i)
      biases[i].step(of_bias[static_cast<std::int64_t>(i)].item<double>(), rate);
  }
  for (std::size_t i = 0; i < weights.size(); ++i)
    EXPECT_NEAR(module.weight.view(-1)[static_cast<std::int64_t>(i)].item<double>(),
                weights[i].weight, 2e-6);
  for (std::size_t i = 0; i < biases.size(); ++i)
    EXPECT_NEAR(module.bias[static_cast<std::int64_t>(i)].item<double>(), biases[i].weight, 2e-6);
}

TEST(FlatAdamWTest, ClearsTheGradientsThatTheModuleHas) {
  TwoTensors module;
  FlatAdamW optimiser(module, config_with(0.0, 1.0));
  set_gradients(module, 0);
  optimiser.clear_gradients();
  EXPECT_EQ(module.weight.grad().abs().sum().item<float>(), 0.0F);
  (module.weight.sum() + module.bias.sum()).backward();
  EXPECT_TRUE(torch::equal(module.bias.grad(), torch::ones({4})));
}

TEST(FlatAdamWTest, LimitsTheNormOfTheGradient) {
  TwoTensors module;
  FlatAdamW optimiser(module, config_with(0.0, 0.5));
  set_gradients(module, 0);
  const double norm =
      torch::cat({module.weight.grad().flatten(), module.bias.grad()}).norm().item<double>();
  ASSERT_GT(norm, 0.5);
  EXPECT_NEAR(optimiser.step(0.1).item<double>(), norm, 1e-6);  // it tells the norm before
  const Tensor mean = optimiser.state().at("optimiser.mean");
  EXPECT_NEAR(mean.norm().item<double>(), 0.1 * 0.5, 1e-6);
}

TEST(FlatAdamWTest, LeavesGradientsThatAreNotFiniteOutAndCountsThem) {
  TwoTensors module;
  FlatAdamW optimiser(module, config_with(0.0, 1.0));
  const Tensor before = module.weight.detach().clone();
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    set_gradients(module, 0);
    {
      const torch::NoGradGuard no_grad;
      module.weight.mutable_grad()[1][2] = bad;
    }
    optimiser.step(0.1);
  }
  EXPECT_EQ(optimiser.skipped().item<double>(), 2.0);
  EXPECT_TRUE(torch::equal(module.weight, before));
  set_gradients(module, 0);
  optimiser.step(0.1);
  EXPECT_EQ(optimiser.skipped().item<double>(), 2.0);
  EXPECT_FALSE(torch::equal(module.weight, before));
  EXPECT_TRUE(module.weight.isfinite().all().item<bool>());
}

TEST(FlatAdamWTest, AveragesTheWeights) {
  TwoTensors module;
  FlatAdamW optimiser(module, config_with(0.0, 1e9, 0.8));
  Tensor average = module.bias.detach().to(torch::kFloat64).clone();
  for (int t = 1; t <= 40; ++t) {
    set_gradients(module, t);
    optimiser.step(0.05);
    const double decay = std::min(0.8, (1.0 + t) / (10.0 + t));
    average = decay * average + (1.0 - decay) * module.bias.detach().to(torch::kFloat64);
  }
  const Tensor last = module.bias.detach().clone();
  optimiser.swap_average();
  EXPECT_TRUE(torch::allclose(module.bias.detach().to(torch::kFloat64), average, 0.0, 1e-5));
  optimiser.swap_average();
  EXPECT_TRUE(torch::equal(module.bias, last));
}

TEST(FlatAdamWTest, GoesOnFromItsStateToTheBit) {
  const TrainConfig config = config_with(0.1, 0.5, 0.9);
  TwoTensors straight;
  FlatAdamW first(straight, config);
  std::map<std::string, Tensor> saved;
  Tensor weight, bias;
  for (int t = 0; t < 8; ++t) {
    if (t == 4) {
      for (const auto& [name, tensor] : first.state()) saved[name] = tensor.clone();
      weight = straight.weight.detach().clone();
      bias = straight.bias.detach().clone();
    }
    set_gradients(straight, t);
    first.step(0.1);
  }
  TwoTensors resumed;
  FlatAdamW second(resumed, config);
  {
    const torch::NoGradGuard no_grad;
    resumed.weight.copy_(weight);
    resumed.bias.copy_(bias);
  }
  second.load(saved);
  for (int t = 4; t < 8; ++t) {
    set_gradients(resumed, t);
    second.step(0.1);
  }
  EXPECT_TRUE(torch::equal(straight.weight, resumed.weight));
  EXPECT_TRUE(torch::equal(straight.bias, resumed.bias));
  const auto one = first.state(), other = second.state();
  for (const auto& [name, tensor] : one) EXPECT_TRUE(torch::equal(tensor, other.at(name))) << name;
}

TEST(FlatAdamWTest, RefusesTheStateOfAnotherModel) {
  TwoTensors module;
  FlatAdamW optimiser(module, config_with(0.1, 0.5));
  auto state = optimiser.state();
  state["optimiser.square"] = torch::zeros({3});
  EXPECT_THROW(optimiser.load(state), InputError);
  state.erase("optimiser.square");
  EXPECT_THROW(optimiser.load(state), InputError);
}

TEST(LearningRateTest, RisesThenFallsAlongACosine) {
  TrainConfig config;
  config.learning_rate = 2e-3;
  config.warmup = 0.1;
  config.final_rate = 0.05;
  EXPECT_NEAR(learning_rate_at(0.05, config), 1e-3, 1e-12);
  EXPECT_NEAR(learning_rate_at(0.1, config), 2e-3, 1e-12);
  EXPECT_NEAR(learning_rate_at(0.55, config), 2e-3 * (0.05 + 0.95 * 0.5), 1e-12);
  EXPECT_NEAR(learning_rate_at(1.0, config), 2e-3 * 0.05, 1e-12);
  EXPECT_NEAR(learning_rate_at(1.5, config), 2e-3 * 0.05, 1e-12);
  double last = learning_rate_at(0.1, config);
  for (double progress = 0.12; progress <= 1.0; progress += 0.02) {
    EXPECT_LT(learning_rate_at(progress, config), last);
    last = learning_rate_at(progress, config);
  }
}

TEST(LearningRateTest, NeedsNoWarmUp) {
  TrainConfig config;
  config.warmup = 0.0;
  EXPECT_EQ(learning_rate_at(0.0, config), config.learning_rate);
}

}  // namespace
}  // namespace pointpng
