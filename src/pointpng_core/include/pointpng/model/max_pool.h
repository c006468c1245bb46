#pragma once

#include <torch/types.h>

namespace pointpng {

/// Maximum over the points of a patch, [P, k, c] → [P, c]; the gradient goes to the first point
/// that has it. Own kernels on the CPU, tensor operations elsewhere.
torch::Tensor max_over_points(const torch::Tensor& x);

}  // namespace pointpng
