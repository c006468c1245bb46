#pragma once

#include <torch/types.h>

namespace pointpng {

/// What the model says of a cloud.
struct Embedding {
  torch::Tensor z;  ///< [1, d], on the model's device
};

}  // namespace pointpng
