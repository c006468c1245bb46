#pragma once

#include <torch/types.h>

namespace pointpng {

/// Vectors in the last dimension scaled to length 1; zero stays zero.
inline torch::Tensor unit(const torch::Tensor& x) {
  return x / x.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace pointpng
