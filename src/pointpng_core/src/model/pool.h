#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace pointpng {

/// z_l = Σ_tokens w · Y_l, every channel with the harmonics of its own degree: weights [B, t, Σ
/// m_l] and harmonics [B, t, (L+1)²] → [B, Σ m_l (2l+1)], degree after degree, channel after
/// channel. Our own kernels where there are some.
torch::Tensor pool_by_degree(const torch::Tensor& weights, const torch::Tensor& harmonics,
                             const std::vector<std::int64_t>& channels);

}  // namespace pointpng
