#pragma once

#include <torch/types.h>

namespace pointpng {

/// torch::gelu whose gradient can be trusted: the backward of LibTorch 1.13's returns uninitialised
/// memory when its incoming gradient is not contiguous (after a transposition, say).
inline torch::Tensor gelu_activation(const torch::Tensor& x) {
  torch::Tensor activated = torch::gelu(x);
  if (activated.requires_grad())
    activated.register_hook([](const torch::Tensor& gradient) { return gradient.contiguous(); });
  return activated;
}

}  // namespace pointpng
