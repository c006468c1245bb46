#include "pointpng/model/backbone.h"

#include "equivariant_backbone.h"
#include "transformer_backbone.h"

namespace pointpng {

std::shared_ptr<Backbone> make_backbone(const ModelConfig& config) {
  validate(config);
  if (config.backbone == "transformer") return std::make_shared<TransformerBackbone>(config);
  return std::make_shared<EquivariantBackbone>(config);
}

}  // namespace pointpng
