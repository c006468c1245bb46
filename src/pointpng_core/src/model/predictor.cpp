#include "pointpng/model/predictor.h"

#include <torch/types.h>

#include "predictors.h"

namespace pointpng {

Tensor Predictor::similarity(const Tensor& g, const Tensor& source, const Tensor& target) {
  const Tensor turned = apply(g.dim() == 2 ? g.unsqueeze(0) : g, source.unsqueeze(1));
  return turned.matmul(target.unsqueeze(-1)).squeeze(-1);
}

std::shared_ptr<Predictor> make_predictor(const ModelConfig& config) {
  validate(config);
  if (config.predictor == "cope") return std::make_shared<CopePredictor>(config);
  if (config.predictor == "sie") return std::make_shared<SiePredictor>(config);
  return std::make_shared<WignerPredictor>(config);
}

}  // namespace pointpng
