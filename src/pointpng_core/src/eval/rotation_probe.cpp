#include "eval/rotation_probe.h"

#include <cmath>

#include <nlohmann/json.hpp>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "base/random.h"
#include "model/rotation.h"
#include "pointpng/error.h"
#include "train/optimiser.h"

namespace pointpng {
namespace {

/// Pairs of different views of a shape: input and target of the regressor.
struct Pairs {
  Tensor embeddings;  // [P, 2d]
  Tensor rotation;    // [P, 4]
};

/// Views `from` and `to` of `shape`, each [P].
Pairs pairs_at(const ViewEmbeddings& views, const Tensor& shape, const Tensor& from,
               const Tensor& to) {
  const auto pick = [&](const Tensor& all, const Tensor& view) {
    return all.flatten(0, 1).index_select(0, shape * views.views() + view);
  };
  return {
      torch::cat({pick(views.z, from), pick(views.z, to)}, 1),
      rotation::multiply(pick(views.rotation, to), rotation::inverse(pick(views.rotation, from)))};
}

Pairs random_pairs(const ViewEmbeddings& views, std::int64_t count, torch::Generator& generator) {
  const Tensor shape = torch::randint(views.shapes(), {count}, generator);
  const Tensor from = torch::randint(views.views(), {count}, generator);
  const Tensor step = torch::randint(1, views.views(), {count}, generator);
  return pairs_at(views, shape, from, (from + step).remainder(views.views()));
}

class Regressor : public torch::nn::Module {
 public:
  Regressor(std::int64_t in, std::int64_t hidden)
      : first_(register_module("first", torch::nn::Linear(in, hidden))),
        second_(register_module("second", torch::nn::Linear(hidden, hidden))),
        last_(register_module("last", torch::nn::Linear(hidden, 4))) {}

  Tensor forward(const Tensor& x) { return last_(torch::relu(second_(torch::relu(first_(x))))); }

 private:
  torch::nn::Linear first_, second_, last_;
};

/// 1 - Σ (q - q̂)² / Σ (q - mean)².
double determination(const Tensor& guessed, const Tensor& truth, const Tensor& mean) {
  return 1.0 - ((guessed - truth).square().sum() / (truth - mean).square().sum()).item<double>();
}

}  // namespace

RotationProbe measure_rotation_probe(const ViewEmbeddings& train, const ViewEmbeddings& test,
                                     const RotationProbeConfig& config, std::uint64_t seed) {
  if (train.views() < 2 || test.views() < 2)
    throw InputError("regressing rotations needs at least two views of each shape");
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(mix_seed({seed, 31}));
  torch::manual_seed(mix_seed({seed, 32}));
  // Elements of long unit vectors are small; the inputs should be around one.
  const double scale = std::sqrt(static_cast<double>(train.z.size(2)));
  ViewEmbeddings scaled_train{train.z * scale, train.rotation};
  ViewEmbeddings scaled_test{test.z * scale, test.rotation};

  Regressor regressor(2 * train.z.size(2), config.hidden);
  TrainConfig schedule;
  schedule.learning_rate = config.learning_rate;
  schedule.weight_decay = 0.0;
  FlatAdamW optimiser(regressor, schedule);
  for (std::int64_t step = 0; step < config.steps; ++step) {
    const Pairs pairs = random_pairs(scaled_train, config.batch, generator);
    optimiser.clear_gradients();
    (regressor.forward(pairs.embeddings) - pairs.rotation).square().mean().backward();
    optimiser.step(learning_rate_at(
        (static_cast<double>(step) + 0.5) / static_cast<double>(config.steps), schedule));
  }
  constexpr std::int64_t kPairsMeasured = 8192;
  const torch::NoGradGuard no_grad;
  const Pairs unseen = random_pairs(scaled_test, kPairsMeasured, generator);
  const Pairs seen = random_pairs(scaled_train, kPairsMeasured, generator);
  const Tensor guessed = regressor.forward(unseen.embeddings);
  RotationProbe result{train.shapes(), test.shapes(), kPairsMeasured};
  result.r2 = determination(guessed, unseen.rotation, unseen.rotation.mean(0, true));
  result.sie_r2 = determination(guessed, unseen.rotation, unseen.rotation.mean());
  result.train_r2 =
      determination(regressor.forward(seen.embeddings), seen.rotation, seen.rotation.mean(0, true));
  return result;
}

void to_json(nlohmann::json& json, const RotationProbe& result) {
  json = {{"r2", result.r2},
          {"sie_r2", result.sie_r2},
          {"train_r2", result.train_r2},
          {"train_shapes", result.train_shapes},
          {"test_shapes", result.test_shapes},
          {"test_pairs", result.test_pairs}};
}

}  // namespace pointpng
