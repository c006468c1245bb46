#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <torch/nn/module.h>

#include "pointpng/training.h"

namespace pointpng {

using torch::Tensor;

/// AdamW over all trained weights as one flat tensor: a step is a dozen operations for any
/// number of layers, on any device, and nothing is copied to the host.
class FlatAdamW {
 public:
  /// Moves the module's weights into the flat tensor; they stay usable through the module.
  FlatAdamW(torch::nn::Module& module, const TrainConfig& config);

  void clear_gradients();
  /// Of all weights, as the last backward pass left them; may be changed before a step.
  Tensor& gradients() { return gradients_; }

  /// Limits the gradient's norm and takes one step. A gradient that is not finite is skipped and
  /// counted. Returns the norm before limiting (on the device).
  Tensor step(double learning_rate);

  /// Number of skipped steps so far (on the device).
  const Tensor& skipped() const { return skipped_; }
  std::int64_t count() const { return weights_.numel(); }

  /// Exchanges the weights with their moving average where there is one: before and after using it.
  void swap_average();
  bool has_average() const { return average_.defined(); }

  /// Moments, average and counters, for bit-exact resumption from a checkpoint.
  std::map<std::string, Tensor> state() const;
  void load(const std::map<std::string, Tensor>& state);

 private:
  double weight_decay_, clip_, average_decay_;
  std::int64_t steps_ = 0;
  Tensor weights_, gradients_, mean_, square_, decays_, average_, skipped_;
};

/// Rises linearly over the warm-up, then falls along a cosine to its final share; `progress` from 0
/// to 1.
double learning_rate_at(double progress, const TrainConfig& config);

}  // namespace pointpng
