#pragma once

#include <cstdint>

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include "model/batch_norm.h"
#include "pointpng/model.h"

namespace pointpng {

using torch::Tensor;

/// Two linear layers with a GELU between them.
class MlpImpl : public torch::nn::Module {
 public:
  MlpImpl(std::int64_t in, std::int64_t hidden, std::int64_t out);
  Tensor forward(const Tensor& x);

 private:
  torch::nn::Linear expand_{nullptr}, contract_{nullptr};
};
TORCH_MODULE(Mlp);

/// Pre-norm transformer block; `bias` [B, heads, n, n] is added to the attention's logits where
/// defined.
class BlockImpl : public torch::nn::Module {
 public:
  BlockImpl(std::int64_t width, std::int64_t heads, std::int64_t mlp_ratio);
  Tensor forward(const Tensor& x, const Tensor& bias = {});

 private:
  std::int64_t heads_;
  torch::nn::LayerNorm attention_norm_{nullptr}, mlp_norm_{nullptr};
  torch::nn::Linear qkv_{nullptr}, out_{nullptr};
  Mlp mlp_{nullptr};
};
TORCH_MODULE(Block);

/// The mini-PointNet that turns a patch into a token: per-point layers, maximum, twice.
/// [B, n, k, 3] → [B, n, width].
class PatchEncoderImpl : public torch::nn::Module {
 public:
  explicit PatchEncoderImpl(const ModelConfig& config);
  Tensor forward(const Tensor& points);

 private:
  bool batch_norm_;
  torch::nn::Linear first_{nullptr}, second_{nullptr}, third_{nullptr}, last_{nullptr};
  BatchNorm first_norm_{nullptr}, third_norm_{nullptr};
};
TORCH_MODULE(PatchEncoder);

}  // namespace pointpng
