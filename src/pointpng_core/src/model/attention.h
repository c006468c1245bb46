#pragma once

#include <cstdint>

#include <torch/types.h>

namespace pointpng {

/// softmax(q kᵀ / √d + bias) v for every head. `qkv` is [B, n, 3 · width] as the block's linear
/// layer makes it (q, k, v, each head after head), `bias` [B, heads, n, n] or undefined; → [B, n,
/// width]. One pass of our own kernels where there are some, else tensor operations.
torch::Tensor attention(const torch::Tensor& qkv, const torch::Tensor& bias, std::int64_t heads);

/// The same as plain LibTorch operations, on any device.
torch::Tensor attention_by_tensors(const torch::Tensor& qkv, const torch::Tensor& bias,
                                   std::int64_t heads);

}  // namespace pointpng
