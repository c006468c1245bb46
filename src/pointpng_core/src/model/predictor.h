#pragma once

#include <memory>

#include <torch/nn/module.h>

#include "pointpng/model.h"

namespace pointpng {

using torch::Tensor;

/// u_g: the effect of rotating the cloud by g on its embedding. Differentiable in z and g.
class Predictor : public torch::nn::Module {
 public:
  /// Θ_g z / |Θ_g z| for rotations g […, 4] and embeddings z […, d]; leading dimensions broadcast.
  virtual Tensor apply(const Tensor& g, const Tensor& z) = 0;

  /// ⟨u_g(source), target⟩ for many g per pair: source, target [B, d]; g [G, 4], the same for all
  /// pairs, or [B, G, 4] → [B, G]. Used for pseudo-negatives and for the pose search.
  virtual Tensor similarity(const Tensor& g, const Tensor& source, const Tensor& target);

  /// True where u_g is orthogonal and inverse to u_{g⁻¹}: the search needs only one direction then.
  virtual bool exact() const { return false; }
};

std::shared_ptr<Predictor> make_predictor(const ModelConfig& config);

}  // namespace pointpng
