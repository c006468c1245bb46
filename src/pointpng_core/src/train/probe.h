#pragma once

#include <cstdint>
#include <functional>

#include <torch/types.h>

#include "model/classifier.h"
#include "pointpng/cloud.h"
#include "pointpng/training.h"

namespace pointpng {

/// How the head of a classifier is trained on a frozen encoder.
struct ProbeConfig {
  std::int64_t views = 6;  ///< of each shape, whose features are computed once and kept
  double epochs = 120.0;
  std::int64_t batch = 128;
  double learning_rate = 2e-3;
  double weight_decay = 0.05;
  std::uint64_t seed = 0;
};

/// Features of clouds [N, points, 3], batch by batch, without a gradient and without changing
/// the classifier; `on_batch` is called with how many are done.
Tensor frozen_features(Classifier& classifier, const Tensor& clouds,
                       const std::function<void(std::int64_t)>& on_batch = nullptr);

/// Trains the head alone: features of `config.views` random views of every shape are computed once,
/// the first from all of its points, then the head learns on them. `on_progress` gets shares from 0
/// to 1. Returns the steps taken.
std::int64_t fit_probe(Classifier& classifier, const ShapeSet& shapes, const ClassifyConfig& view,
                       const ProbeConfig& config,
                       const std::function<void(double)>& on_progress = nullptr);

}  // namespace pointpng
