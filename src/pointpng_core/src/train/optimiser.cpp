#include "train/optimiser.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.98;
constexpr double kEpsilon = 1e-8;

}  // namespace

FlatAdamW::FlatAdamW(torch::nn::Module& module, const TrainConfig& config)
    : weight_decay_(config.weight_decay), clip_(config.clip), average_decay_(config.average) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> trained, flat, decays;
  for (Tensor& parameter : module.parameters()) {
    if (!parameter.requires_grad()) continue;
    trained.push_back(parameter);
    flat.push_back(parameter.flatten());
    // No weight decay for biases and gains.
    decays.push_back(torch::full_like(flat.back(), parameter.dim() >= 2 ? 1.0 : 0.0));
  }
  weights_ = torch::cat(flat);
  decays_ = torch::cat(decays);
  gradients_ = torch::zeros_like(weights_);
  mean_ = torch::zeros_like(weights_);
  square_ = torch::zeros_like(weights_);
  skipped_ = torch::zeros({}, weights_.options());
  if (average_decay_ > 0.0) average_ = weights_.clone();
  std::int64_t first = 0;
  for (Tensor& parameter : trained) {
    const std::int64_t size = parameter.numel();
    parameter.set_data(weights_.narrow(0, first, size).view_as(parameter));
    parameter.mutable_grad() = gradients_.narrow(0, first, size).view_as(parameter);
    first += size;
  }
}

void FlatAdamW::clear_gradients() { gradients_.zero_(); }

Tensor FlatAdamW::step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  const Tensor norm = gradients_.norm();
  const Tensor finite = norm.isfinite();
  // Decided on the device, without a synchronisation.
  const Tensor scale =
      torch::where(finite, (clip_ / (norm + 1e-12)).clamp_max(1.0), torch::zeros_like(norm));
  gradients_.nan_to_num_(0.0, 0.0, 0.0).mul_(scale);
  skipped_.add_(finite.logical_not().to(skipped_.scalar_type()));

  ++steps_;
  mean_.lerp_(gradients_, 1.0 - kMeanDecay);
  square_.mul_(kSquareDecay).addcmul_(gradients_, gradients_, 1.0 - kSquareDecay);
  const double mean_bias = 1.0 - std::pow(kMeanDecay, static_cast<double>(steps_));
  const double square_bias = 1.0 - std::pow(kSquareDecay, static_cast<double>(steps_));
  const Tensor spread = (square_ / square_bias).sqrt_().add_(kEpsilon);
  weights_.addcmul_(weights_, decays_, -learning_rate * weight_decay_);
  weights_.addcdiv_(mean_, spread, -learning_rate / mean_bias);
  if (average_.defined()) {
    // A short horizon at first, so that the initial weights are forgotten.
    const double decay = std::min(
        average_decay_, static_cast<double>(1 + steps_) / static_cast<double>(10 + steps_));
    average_.lerp_(weights_, 1.0 - decay);
  }
  return norm;
}

void FlatAdamW::swap_average() {
  const torch::NoGradGuard no_grad;
  const Tensor kept = weights_.clone();
  weights_.copy_(average_);
  average_.copy_(kept);
}

std::map<std::string, Tensor> FlatAdamW::state() const {
  std::map<std::string, Tensor> state{{"optimiser.mean", mean_},
                                      {"optimiser.square", square_},
                                      {"optimiser.skipped", skipped_},
                                      {"optimiser.steps", torch::tensor(steps_)}};
  if (average_.defined()) state["optimiser.average"] = average_;
  return state;
}

void FlatAdamW::load(const std::map<std::string, Tensor>& state) {
  const auto copy = [&](const char* name, Tensor& to) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.sizes() != to.sizes())
      throw InputError(std::string("the checkpoint has no fitting '") + name +
                       "': it is of another model or run");
    to.copy_(found->second);
  };
  Tensor steps = torch::zeros({}, torch::kInt64);
  copy("optimiser.mean", mean_);
  copy("optimiser.square", square_);
  copy("optimiser.skipped", skipped_);
  copy("optimiser.steps", steps);
  if (average_.defined()) copy("optimiser.average", average_);
  steps_ = steps.item<std::int64_t>();
}

double learning_rate_at(double progress, const TrainConfig& config) {
  if (progress < config.warmup) return config.learning_rate * progress / config.warmup;
  const double fallen =
      std::clamp((progress - config.warmup) / std::max(1.0 - config.warmup, 1e-9), 0.0, 1.0);
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * fallen));
  return config.learning_rate * (config.final_rate + (1.0 - config.final_rate) * cosine);
}

}  // namespace pointpng
