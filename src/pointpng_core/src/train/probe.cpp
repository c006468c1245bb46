#include "train/probe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <torch/types.h>

#include "base/random.h"
#include "model/rotation.h"
#include "train/labelled.h"
#include "train/optimiser.h"

namespace pointpng {
namespace {

constexpr std::int64_t kFeatureBatch = 64;
constexpr double kFeatureShare = 0.7;  // rough share of a probe's time, for the progress line
constexpr std::uint64_t kProbeView = 22, kProbeStep = 23;  // ids of these random streams

/// View number `view` of every shape; the first has all points, as a test has.
Tensor views_of(const ShapeSet& shapes, const ModelConfig& model, const ClassifyConfig& config,
                std::int64_t view, std::uint64_t seed) {
  ClassifyConfig shown = config;
  if (view == 0) {
    shown.fewest_points = 1.0;
    shown.stretch = 0.0;
  }
  std::vector<Tensor> clouds;
  for (const Shape& shape : shapes.shapes) {
    Random random({seed, kProbeView, static_cast<std::uint64_t>(view), clouds.size()});
    clouds.push_back(random_view(shape, model, shown, random));
  }
  return torch::stack(clouds);
}

TrainConfig schedule_of(const ProbeConfig& config) {
  TrainConfig schedule;
  schedule.learning_rate = config.learning_rate;
  schedule.weight_decay = config.weight_decay;
  schedule.final_rate = 0.0;
  return schedule;
}

}  // namespace

Tensor frozen_features(Classifier& classifier, const Tensor& clouds,
                       const std::function<void(std::int64_t)>& on_batch) {
  const torch::NoGradGuard no_grad;
  const bool was_training = classifier.is_training();
  classifier.eval();
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < clouds.size(0); first += kFeatureBatch) {
    const std::int64_t count = std::min(kFeatureBatch, clouds.size(0) - first);
    parts.push_back(classifier.features(clouds.narrow(0, first, count)));
    if (on_batch) on_batch(first + count);
  }
  classifier.train(was_training);
  return torch::cat(parts);
}

std::int64_t fit_probe(Classifier& classifier, const ShapeSet& shapes, const ClassifyConfig& view,
                       const ProbeConfig& config, const std::function<void(double)>& on_progress) {
  const auto progress = [&](double share) {
    if (on_progress) on_progress(share);
  };
  const auto count = static_cast<std::int64_t>(shapes.shapes.size());
  std::vector<Tensor> variants;
  for (std::int64_t i = 0; i < config.views; ++i)
    variants.push_back(frozen_features(
        classifier, views_of(shapes, classifier.config().model, view, i, config.seed),
        [&](std::int64_t done) {
          const double of_view = static_cast<double>(done) / static_cast<double>(count);
          progress(kFeatureShare * (static_cast<double>(i) + of_view) /
                   static_cast<double>(config.views));
        }));
  const Tensor features = torch::cat(variants);  // [views · N, F]
  const Tensor labels = labels_of(shapes).to(features.device());
  const Tensor weights = class_weights(shapes, view.balance);
  ClassifierHead& head = classifier.head();
  head.standardise(features);
  head.train();

  const TrainConfig schedule = schedule_of(config);
  FlatAdamW optimiser(head, schedule);
  const std::int64_t batch =
      std::clamp<std::int64_t>(config.batch, 2, std::max<std::int64_t>(2, count));
  const auto steps = std::max<std::int64_t>(
      1, std::llround(config.epochs * static_cast<double>(count) / static_cast<double>(batch)));
  torch::Generator generator = at::globalContext().defaultGenerator(features.device()).clone();
  generator.set_current_seed(mix_seed({config.seed, kProbeStep}));
  for (std::int64_t step = 0; step < steps; ++step) {
    const Tensor items =
        torch::tensor(items_of_step(step, batch, count, config.seed)).to(features.device());
    const Tensor which =
        torch::randint(config.views, {batch}, generator, items.options()) * count + items;
    optimiser.clear_gradients();
    classification_loss(head.forward(features.index_select(0, which), generator),
                        labels.index_select(0, items), weights, view.label_smoothing)
        .backward();
    const double share = static_cast<double>(step + 1) / static_cast<double>(steps);
    optimiser.step(learning_rate_at(share, schedule));
    progress(kFeatureShare + (1.0 - kFeatureShare) * share);
  }
  head.eval();
  return steps;
}

}  // namespace pointpng
