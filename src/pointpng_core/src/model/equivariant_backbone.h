#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "model/backbone.h"
#include "model/layers.h"

namespace pointpng {

/// Tokens see only rotation invariants: distances and angles within a patch and to the centre of
/// the cloud. The transformer maps them to weights w, and
///   z_l = Σ_tokens w · Y_l(direction of the patch) + w' · M_l(the patch's own shape),
/// so z is exactly equivariant; training learns what to look at. For predictors other than
/// `wigner` a linear layer mixes the degrees at the end (and exactness is lost).
class EquivariantBackbone : public Backbone {
 public:
  explicit EquivariantBackbone(const ModelConfig& config);
  Tensor encode(const Patches& patches, std::vector<Tensor>* layers) override;
  Tensor embed(const Patches& patches) override;
  /// Maximum and mean of the tokens after every block, and the rotation-invariant part of z: the
  /// channels of degree 0 and, for every other degree, the inner products of its
  /// channels.
  Tensor features(const Patches& patches) override;
  std::int64_t feature_length() const override;
  Tensor place_tokens(const Patches& patches) override;
  Tensor place_bias(const Patches& patches) override;
  Tensor reconstruction_target(const Patches& patches) override;

  /// `ops::describe_patches` on the CPU.
  static std::tuple<Tensor, Tensor, Tensor, Tensor> describe_on_cpu(const Tensor& centres,
                                                                    const Tensor& points,
                                                                    std::int64_t degree,
                                                                    bool moments);

 private:
  struct Centred;
  Centred centre(const Patches& patches) const;
  std::int64_t degree() const { return static_cast<std::int64_t>(channels_.size()) - 1; }
  Tensor encode(const Centred& seen, std::vector<Tensor>* layers);
  Tensor relations(const Centred& seen);
  Tensor direct(const Tensor& tokens, const Centred& seen);

  std::vector<std::int64_t> channels_;
  std::int64_t heads_, width_;
  bool moments_;
  PatchEncoder tokens_{nullptr};
  Mlp place_{nullptr};
  torch::nn::Linear relation_{nullptr}, bias_{nullptr};
  std::vector<Block> encoder_;
  torch::nn::LayerNorm encoder_norm_{nullptr};
  torch::nn::Linear direction_weights_{nullptr}, moment_weights_{nullptr}, mix_{nullptr};
};

}  // namespace pointpng
