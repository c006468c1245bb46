#include "model/backbone.h"

#include "model/equivariant_backbone.h"
#include "model/transformer_backbone.h"

namespace pointpng {

std::shared_ptr<Backbone> make_backbone(const ModelConfig& config) {
  validate(config);
  if (config.backbone == "transformer") return std::make_shared<TransformerBackbone>(config);
  return std::make_shared<EquivariantBackbone>(config);
}

}  // namespace pointpng
