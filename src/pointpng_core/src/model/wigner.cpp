#include "model/wigner.h"

#include <torch/types.h>

#include "model/predictors.h"
#include "model/rotation.h"

namespace pointpng {

Tensor correlate(const Tensor& source, const Tensor& target,
                 const std::vector<std::int64_t>& channels) {
  std::vector<Tensor> parts;
  std::int64_t first = 0;
  for (std::size_t l = 0; l < channels.size(); ++l) {
    const std::int64_t m = channels[l], order = static_cast<std::int64_t>(2 * l + 1);
    const Tensor from = source.narrow(1, first, m * order).view({source.size(0), m, order});
    const Tensor to = target.narrow(1, first, m * order).view({target.size(0), m, order});
    // Element-wise product and sum: hundreds of matrix products this small are slower.
    parts.push_back((to.unsqueeze(-1) * from.unsqueeze(-2)).sum(1).flatten(1));
    first += m * order;
  }
  return torch::cat(parts, 1);
}

WignerPredictor::WignerPredictor(const ModelConfig& config) : channels_(config.channels) {}

Tensor WignerPredictor::apply(const Tensor& g, const Tensor& z) {
  const auto matrices = wigner_matrices(g, static_cast<std::int64_t>(channels_.size()) - 1);
  std::vector<Tensor> parts;
  std::int64_t first = 0;
  for (std::size_t l = 0; l < channels_.size(); ++l) {
    const std::int64_t m = channels_[l], order = static_cast<std::int64_t>(2 * l + 1);
    if (m == 0) continue;
    const Tensor part = z.narrow(-1, first, m * order).unflatten(-1, {m, order});
    parts.push_back((part.unsqueeze(-2) * matrices[l].unsqueeze(-3)).sum(-1).flatten(-2));
    first += m * order;
  }
  return torch::cat(parts, -1);
}

Tensor WignerPredictor::similarity(const Tensor& g, const Tensor& source, const Tensor& target) {
  const Tensor correlation = correlate(source, target, channels_);  // [B, C]
  const Tensor turns = flat_wigner(g, static_cast<std::int64_t>(channels_.size()) - 1);
  if (turns.dim() == 2) return correlation.matmul(turns.t());
  return (turns * correlation.unsqueeze(1)).sum(-1);
}

}  // namespace pointpng
