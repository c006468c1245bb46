#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "model/harmonics.h"

namespace pointpng {

/// C_l = Σ_channels target_l source_lᵀ, all degrees flattened one after the other:
/// [B, d] × [B, d] → [B, Σ (2l+1)²]. The similarity depends on the pair only through it:
/// ⟨u_g(source), target⟩ = flat_wigner(g) · correlate(source, target).
torch::Tensor correlate(const torch::Tensor& source, const torch::Tensor& target,
                        const std::vector<std::int64_t>& channels);

}  // namespace pointpng
