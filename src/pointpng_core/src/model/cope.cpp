#include <cmath>

#include <torch/nn/init.h>
#include <torch/types.h>

#include "model/gelu.h"
#include "model/predictors.h"
#include "model/rotation.h"
#include "model/unit.h"

namespace pointpng {
CopePredictor::CopePredictor(const ModelConfig& config)
    : frequencies_(config.cope_frequencies), matrix_input_(config.cope_input == "matrix") {
  const std::int64_t d = embedding_length(config), e = d / config.cope_reduction;
  const std::int64_t inputs = (matrix_input_ ? 9 : 4) * (1 + 2 * frequencies_);
  first_ = register_module("first", torch::nn::Linear(inputs, config.cope_mlp));
  second_ = register_module("second", torch::nn::Linear(config.cope_mlp, config.cope_mlp));
  third_ = register_module("third", torch::nn::Linear(config.cope_mlp, e));
  psi_ = register_parameter("psi", torch::randn({d, e}));
  expand_hidden_ = register_module("expand_hidden", torch::nn::Linear(e, config.cope_hidden));
  expand_out_ = register_module("expand_out", torch::nn::Linear(config.cope_hidden, d));
  torch::nn::init::normal_(expand_out_->weight, 0.0,
                           1.0 / std::sqrt(static_cast<double>(config.cope_hidden)));
}

Tensor CopePredictor::harmonic_embedding(const Tensor& g) const {
  const Tensor x = matrix_input_ ? rotation::to_matrix(g).flatten(-2) : rotation::canonical(g);
  std::vector<Tensor> parts{x};
  for (std::int64_t i = 0; i < frequencies_; ++i) {
    const Tensor scaled = std::ldexp(1.0, static_cast<int>(i)) * x;
    parts.push_back(scaled.sin());
    parts.push_back(scaled.cos());
  }
  return torch::cat(parts, -1);
}

Tensor CopePredictor::hidden_columns(const Tensor& g) {
  const Tensor h = third_(gelu_activation(second_(gelu_activation(first_(harmonic_embedding(g))))));
  const Tensor gamma = h.unsqueeze(-2) * psi_;  // Γ = h'_g ⊙ Ψ, […, d, d / k]
  return gelu_activation(expand_hidden_(gamma));
}

/// Θ_g z = Σ_j z_j (W hidden_j + b) = W Σ_j z_j hidden_j + b Σ_j z_j.
Tensor CopePredictor::finish(const Tensor& summed, const Tensor& z) {
  return unit(summed.matmul(expand_out_->weight.t()) + z.sum(-1, true) * expand_out_->bias);
}

Tensor CopePredictor::apply(const Tensor& g, const Tensor& z) {
  return finish(z.unsqueeze(-2).matmul(hidden_columns(g)).squeeze(-2), z);
}

Tensor CopePredictor::similarity(const Tensor& g, const Tensor& source, const Tensor& target) {
  if (g.dim() != 2) return Predictor::similarity(g, source, target);
  // The rotations are the same for all pairs: their columns are made once.
  const Tensor columns = hidden_columns(g);  // [G, d, hidden]
  const std::int64_t count = columns.size(0), hidden = columns.size(2);
  const Tensor summed = source.matmul(columns.transpose(0, 1).flatten(1)).view({-1, count, hidden});
  return finish(summed, source.unsqueeze(1)).matmul(target.unsqueeze(-1)).squeeze(-1);
}

Tensor CopePredictor::matrix(const Tensor& g) {
  return expand_out_(hidden_columns(g)).transpose(-1, -2);
}

}  // namespace pointpng
