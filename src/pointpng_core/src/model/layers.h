#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include "pointpng/model.h"

namespace pointpng {

using torch::Tensor;

/// A linear layer: one launch on CUDA for any number of dimensions, where LibTorch 1.13 takes two.
Tensor linear(torch::nn::Linear& layer, const Tensor& x);

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

  // Its two halves, on normalised tokens: what each adds to them.
  Tensor attend(const Tensor& normalised, const Tensor& bias);
  Tensor transform(const Tensor& normalised) { return mlp_(normalised); }
  const torch::nn::LayerNorm& attention_norm() const { return attention_norm_; }
  const torch::nn::LayerNorm& mlp_norm() const { return mlp_norm_; }

 private:
  std::int64_t heads_;
  torch::nn::LayerNorm attention_norm_{nullptr}, mlp_norm_{nullptr};
  torch::nn::Linear qkv_{nullptr}, out_{nullptr};
  Mlp mlp_{nullptr};
};
TORCH_MODULE(Block);

/// `last` of the output of blocks one after the other, `bias` one for each; where `layers` is
/// given, the output of every block is added to it. Sums and the normalisations that follow them
/// are one kernel on CUDA, unless gradients are asked for.
Tensor run_blocks(std::vector<Block>& blocks, Tensor x, const std::vector<Tensor>& bias,
                  const torch::nn::LayerNorm& last, std::vector<Tensor>* layers);

/// The mini-PointNet that turns a patch into a token: per-point layers, maximum, twice.
/// [B, n, k, 3] → [B, n, width].
class PatchEncoderImpl : public torch::nn::Module {
 public:
  explicit PatchEncoderImpl(const ModelConfig& config);
  Tensor forward(const Tensor& points);

 private:
  bool batch_norm_;
  torch::nn::Linear first_{nullptr}, second_{nullptr}, third_{nullptr}, last_{nullptr};
  torch::nn::BatchNorm1d first_norm_{nullptr}, third_norm_{nullptr};
};
TORCH_MODULE(PatchEncoder);

}  // namespace pointpng
