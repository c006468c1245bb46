#pragma once

#include <torch/types.h>

namespace pointpng {

/// Maximum over the points of a patch, [P, k, c] → [P, c]; the gradient goes to the first point
/// that has it. Our own kernels where there are some, else tensor operations.
torch::Tensor max_over_points(const torch::Tensor& x);

/// The maxima over the points of a patch x [P, k, b] and of their products with W [c, b].
struct PatchMaxima {
  torch::Tensor of_points;    ///< max_over_points(x), [P, b]
  torch::Tensor of_products;  ///< max_over_points(x Wᵀ), [P, c]
};

/// On the CPU the products of a patch stay in registers, and their gradient is that of the winners
/// alone: 1 / k of the work of two matrix products.
PatchMaxima patch_maxima(const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace pointpng
