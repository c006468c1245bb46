#pragma once

#include <cstdint>
#include <vector>

#include "model/backbone.h"
#include "model/layers.h"

namespace pointpng {

/// The paper's: tokens with positional embedding, transformer encoder, [CLS] appended to its
/// output, light decoder, z from [CLS].
class TransformerBackbone : public Backbone {
 public:
  explicit TransformerBackbone(const ModelConfig& config);
  Tensor encode(const Patches& patches, std::vector<Tensor>* layers) override;
  Tensor embed(const Patches& patches) override;
  /// [CLS] after the decoder, and maximum and mean of the encoder's tokens.
  Tensor features(const Patches& patches) override;
  std::int64_t feature_length() const override { return 3 * width_; }
  Tensor place_tokens(const Patches& patches) override;
  Tensor place_bias(const Patches& patches) override;
  Tensor reconstruction_target(const Patches& patches) override;

 private:
  Tensor decode_cls(const Tensor& tokens);

  std::int64_t width_;
  PatchEncoder tokens_{nullptr};
  Mlp place_{nullptr};
  std::vector<Block> encoder_, decoder_;
  torch::nn::LayerNorm encoder_norm_{nullptr}, decoder_norm_{nullptr};
  Tensor cls_;
  torch::nn::Linear head_{nullptr};
};

}  // namespace pointpng
