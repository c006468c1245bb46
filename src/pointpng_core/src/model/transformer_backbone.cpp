#include "model/transformer_backbone.h"

#include <string>

#include <torch/types.h>

#include "model/unit.h"

namespace pointpng {
namespace {

constexpr std::int64_t kPositionHidden = 128;

}  // namespace

TransformerBackbone::TransformerBackbone(const ModelConfig& config)
    : width_(config.width),
      tokens_(register_module("tokens", PatchEncoder(config))),
      place_(register_module("place", Mlp(3, kPositionHidden, config.width))),
      encoder_norm_(register_module(
          "encoder_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width})))),
      decoder_norm_(register_module(
          "head_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width})))),
      cls_(register_parameter("head_cls", 0.02 * torch::randn({1, 1, config.width}))),
      head_(
          register_module("head_out", torch::nn::Linear(config.width, embedding_length(config)))) {
  for (std::int64_t i = 0; i < config.depth; ++i)
    encoder_.emplace_back(register_module("encoder_" + std::to_string(i),
                                          Block(config.width, config.heads, config.mlp_ratio)));
  for (std::int64_t i = 0; i < config.decoder_depth; ++i)
    decoder_.emplace_back(register_module("head_decoder_" + std::to_string(i),
                                          Block(config.width, config.heads, config.mlp_ratio)));
}

Tensor TransformerBackbone::encode(const Patches& patches, std::vector<Tensor>* layers) {
  const Tensor place = place_tokens(patches);
  Tensor x = tokens_(reconstruction_target(patches));
  for (auto& block : encoder_) {
    x = block(x + place);  // the positional embedding is added at every block, as in Point-MAE
    if (layers != nullptr) layers->push_back(x);
  }
  return encoder_norm_(x);
}

/// [CLS] after the decoder, [B, width].
Tensor TransformerBackbone::decode_cls(const Tensor& tokens) {
  Tensor x = torch::cat({cls_.expand({tokens.size(0), 1, width_}), tokens}, 1);
  for (auto& block : decoder_) x = block(x);
  return decoder_norm_(x.select(1, 0));
}

Tensor TransformerBackbone::embed(const Patches& patches) {
  return unit(head_(decode_cls(encode(patches, nullptr))));
}

Tensor TransformerBackbone::features(const Patches& patches) {
  const Tensor x = encode(patches, nullptr);
  return torch::cat({decode_cls(x), std::get<0>(x.max(1)), x.mean(1)}, 1);
}

Tensor TransformerBackbone::place_tokens(const Patches& patches) { return place_(patches.centres); }

Tensor TransformerBackbone::place_bias(const Patches&) { return {}; }

Tensor TransformerBackbone::reconstruction_target(const Patches& patches) {
  // A patch spans about a tenth of the unit sphere; the inputs should be around one.
  return 4.0 * patches.points;
}

}  // namespace pointpng
