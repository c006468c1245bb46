#pragma once

#include <torch/types.h>

namespace pointpng {

/// x Φ(x), with a gradient that can be trusted: the backward of LibTorch 1.13's own returns
/// uninitialised memory when its incoming gradient is not contiguous (after a transposition, say).
/// Our own kernels on the CPU.
torch::Tensor gelu_activation(const torch::Tensor& x);

}  // namespace pointpng
