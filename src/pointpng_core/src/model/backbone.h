#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/module.h>

#include "model/patches.h"
#include "pointpng/model.h"

namespace pointpng {

using torch::Tensor;

/// f = decoder ∘ encoder: patches to a unit embedding z. The encoder alone is what masked
/// autoencoding pre-trains; the names of all other weights start with "head_".
class Backbone : public torch::nn::Module {
 public:
  /// Encoded tokens [B, n, width]; where `layers` is given, the output of every block is added to
  /// it.
  virtual Tensor encode(const Patches& patches, std::vector<Tensor>* layers = nullptr) = 0;

  /// z [B, d] on the unit sphere.
  virtual Tensor embed(const Patches& patches) = 0;

  /// Global features for classification, [B, feature_length()]. Rotation-invariant for the
  /// equivariant backbone.
  virtual Tensor features(const Patches& patches) = 0;
  virtual std::int64_t feature_length() const = 0;

  /// What is known of a masked patch: its position, as tokens [B, n, width] …
  virtual Tensor place_tokens(const Patches& patches) = 0;
  /// … and the attention bias between positions [B, heads, n, n] for the decoder's blocks;
  /// undefined where the backbone has none.
  virtual Tensor place_bias(const Patches& patches) = 0;
  /// The target of masked autoencoding for a patch [B, n, k, 3].
  virtual Tensor reconstruction_target(const Patches& patches) = 0;
};

std::shared_ptr<Backbone> make_backbone(const ModelConfig& config);

}  // namespace pointpng
