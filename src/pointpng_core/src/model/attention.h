#pragma once

#include <cstdint>

#include <torch/types.h>
#include <torch/version.h>

namespace pointpng {

/// softmax(q kᵀ / √d + bias) v for every head. `qkv` is [B, n, 3 · width] as the block's linear
/// layer makes it (q, k, v, each head after head), `bias` [B, heads, n, n] or undefined; → [B, n,
/// width]. On CUDA with LibTorch 2 its scaled dot product attention; else one pass of our own
/// kernels where there are some, else tensor operations.
torch::Tensor attention(const torch::Tensor& qkv, const torch::Tensor& bias, std::int64_t heads);

/// The same as plain LibTorch operations, on any device.
torch::Tensor attention_by_tensors(const torch::Tensor& qkv, const torch::Tensor& bias,
                                   std::int64_t heads);

#if TORCH_VERSION_MAJOR >= 2
/// The same by LibTorch's scaled dot product attention.
torch::Tensor attention_of_libtorch(const torch::Tensor& qkv, const torch::Tensor& bias,
                                    std::int64_t heads);
#endif

}  // namespace pointpng
