#include <torch/types.h>

#include "model/predictors.h"
#include "model/rotation.h"
#include "model/unit.h"

namespace pointpng {
EquiModPredictor::EquiModPredictor(const ModelConfig& config) {
  const std::int64_t d = embedding_length(config);
  turn_ = register_module("turn", torch::nn::Linear(4, d));
  out_ = register_module("out", torch::nn::Linear(2 * d, d));
}

Tensor EquiModPredictor::apply(const Tensor& g, const Tensor& z) {
  return unit(out_(side_by_side(z, turn_(rotation::canonical(g)))));
}

SenPredictor::SenPredictor(const ModelConfig& config) {
  const std::int64_t d = embedding_length(config);
  hidden_ = register_module("hidden", torch::nn::Linear(d + 4, d));
  out_ = register_module("out", torch::nn::Linear(d, d));
}

Tensor SenPredictor::apply(const Tensor& g, const Tensor& z) {
  return unit(out_(torch::relu(hidden_(side_by_side(z, rotation::canonical(g))))));
}

/// The product with zero gives the result g's leading dimensions and a gradient: none.
Tensor IdentityPredictor::apply(const Tensor& g, const Tensor& z) {
  return z + 0.0 * g.sum(-1, true);
}

}  // namespace pointpng
