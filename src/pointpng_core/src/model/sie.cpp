#include <torch/types.h>

#include "model/predictors.h"
#include "model/rotation.h"
#include "model/unit.h"

namespace pointpng {

SiePredictor::SiePredictor(const ModelConfig& config)
    : invariant_(config.sie_invariant), length_(embedding_length(config) - config.sie_invariant) {
  constexpr std::int64_t kHidden = 64;
  const auto without_bias = [](std::int64_t in, std::int64_t out) {
    return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
  };
  hidden_ = register_module("hidden", without_bias(4, kHidden));
  out_ = register_module("out", without_bias(kHidden, length_ * length_));
}

Tensor SiePredictor::apply(const Tensor& g, const Tensor& z) {
  const Tensor matrix =
      out_(torch::relu(hidden_(rotation::canonical(g)))).unflatten(-1, {length_, length_});
  const Tensor turned = matrix.matmul(z.narrow(-1, invariant_, length_).unsqueeze(-1)).squeeze(-1);
  return unit(invariant_ == 0 ? turned : side_by_side(z.narrow(-1, 0, invariant_), turned));
}

}  // namespace pointpng
