#include "model/predictor.h"

#include <vector>

#include <ATen/ExpandUtils.h>
#include <torch/types.h>

#include "model/predictors.h"

namespace pointpng {

Tensor side_by_side(const Tensor& a, const Tensor& b) {
  const auto leading = [](const Tensor& x) { return x.sizes().slice(0, x.dim() - 1); };
  std::vector<std::int64_t> shape = at::infer_size(leading(a), leading(b));
  shape.push_back(-1);  // keep the last dimension of each
  return torch::cat({a.expand(shape), b.expand(shape)}, -1);
}

Tensor Predictor::similarity(const Tensor& g, const Tensor& source, const Tensor& target) {
  const Tensor turned = apply(g.dim() == 2 ? g.unsqueeze(0) : g, source.unsqueeze(1));
  return turned.matmul(target.unsqueeze(-1)).squeeze(-1);
}

std::shared_ptr<Predictor> make_predictor(const ModelConfig& config) {
  validate(config);
  if (config.predictor == "cope") return std::make_shared<CopePredictor>(config);
  if (config.predictor == "sie") return std::make_shared<SiePredictor>(config);
  if (config.predictor == "equimod") return std::make_shared<EquiModPredictor>(config);
  if (config.predictor == "sen") return std::make_shared<SenPredictor>(config);
  if (config.predictor == "identity") return std::make_shared<IdentityPredictor>();
  return std::make_shared<WignerPredictor>(config);
}

}  // namespace pointpng
