#pragma once

#include <string>

#include "pointpng/model.h"

namespace pointpng {

/// The smallest model that still has every part.
inline ModelConfig small_config(const std::string& backbone = "equivariant",
                                const std::string& predictor = "wigner") {
  ModelConfig config;
  config.backbone = backbone;
  config.predictor = predictor;
  config.points = 128;
  config.patches = 12;
  config.patch_points = 8;
  config.patch_widths = {16, 16, 32};
  config.width = 32;
  config.depth = 2;
  config.heads = 2;
  config.embedding = 24;
  config.channels = {4, 5, 3, 2};
  config.cope_hidden = 16;
  config.cope_mlp = 16;
  return config;
}

}  // namespace pointpng
