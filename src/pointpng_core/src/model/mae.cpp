#include "model/mae.h"

#include <algorithm>
#include <string>

#include <torch/types.h>

#include "model/sampling.h"

namespace pointpng {
namespace {

/// The teacher's target is the mean of its last layers, at most this many.
constexpr std::size_t kTargetLayers = 6;

}  // namespace

Tensor chamfer_distance(const Tensor& a, const Tensor& b) {
  const Tensor squared = (a.unsqueeze(2) - b.unsqueeze(1)).square().sum(-1);  // [P, k, k']
  return std::get<0>(squared.min(2)).mean() + std::get<0>(squared.min(1)).mean();
}

MaskedDecoderImpl::MaskedDecoderImpl(const ModelConfig& config)
    : mask_token_(register_parameter("mask_token", 0.02 * torch::randn({1, 1, config.width}))),
      norm_(register_module("norm",
                            torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width})))) {
  for (std::int64_t i = 0; i < config.decoder_depth; ++i)
    blocks_.emplace_back(register_module("block_" + std::to_string(i),
                                         Block(config.width, config.heads, config.mlp_ratio)));
}

Tensor MaskedDecoderImpl::forward(Backbone& backbone, const Tensor& visible_tokens,
                                  const Patches& visible, const Patches& hidden) {
  const Patches all{torch::cat({visible.centres, hidden.centres}, 1),
                    torch::cat({visible.points, hidden.points}, 1)};
  const Tensor masked = mask_token_.expand({hidden.batch(), hidden.count(), -1});
  const Tensor place = backbone.place_tokens(all), bias = backbone.place_bias(all);
  Tensor x = torch::cat({visible_tokens, masked}, 1);
  for (auto& block : blocks_) x = block(x + place, bias);
  return norm_(x.narrow(1, visible.count(), hidden.count()));
}

MaskedAutoencoder::MaskedAutoencoder(const ModelConfig& config)
    : backbone_(register_module("backbone", make_backbone(config))),
      decoder_(register_module("decoder", MaskedDecoder(config))),
      points_(register_module("points", torch::nn::Linear(config.width, 3 * config.patch_points))) {
}

Tensor MaskedAutoencoder::reconstruct(const Patches& patches, const Mask& mask) {
  const Patches visible = patches.select(mask.visible), hidden = patches.select(mask.hidden);
  const Tensor decoded = decoder_(*backbone_, backbone_->encode(visible), visible, hidden);
  const Tensor target = backbone_->reconstruction_target(hidden).flatten(0, 1);
  return chamfer_distance(points_(decoded).view_as(target), target);
}

Point2Vec::Point2Vec(const ModelConfig& config)
    : backbone_(register_module("backbone", make_backbone(config))),
      teacher_(register_module("teacher", make_backbone(config))),
      decoder_(register_module("decoder", MaskedDecoder(config))),
      out_(register_module("out", torch::nn::Linear(config.width, config.width))) {
  for (Tensor& parameter : teacher_->parameters()) parameter.set_requires_grad(false);
  follow(0.0);
}

void Point2Vec::follow(double momentum) {
  const torch::NoGradGuard no_grad;
  const auto student = backbone_->parameters(), teacher = teacher_->parameters();
  for (std::size_t i = 0; i < student.size(); ++i)
    Tensor(teacher[i]).lerp_(student[i], 1.0 - momentum);
  const auto from = backbone_->buffers(), to = teacher_->buffers();
  for (std::size_t i = 0; i < from.size(); ++i) Tensor(to[i]).copy_(from[i]);
}

Tensor Point2Vec::teacher_targets(const Patches& patches) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> layers;
  teacher_->encode(patches, &layers);
  const std::size_t used = std::min(kTargetLayers, layers.size());
  Tensor sum = torch::zeros_like(layers.back());
  for (std::size_t i = layers.size() - used; i < layers.size(); ++i)
    sum += torch::layer_norm(layers[i], {layers[i].size(-1)});
  return torch::layer_norm(sum / static_cast<double>(used), {sum.size(-1)});
}

Tensor Point2Vec::predict(const Patches& patches, const Mask& mask) {
  const Patches visible = patches.select(mask.visible), hidden = patches.select(mask.hidden);
  const Tensor targets = gather_rows(teacher_targets(patches), mask.hidden);
  const Tensor decoded = decoder_(*backbone_, backbone_->encode(visible), visible, hidden);
  return torch::smooth_l1_loss(out_(decoded), targets, torch::Reduction::Mean, 2.0);
}

}  // namespace pointpng
