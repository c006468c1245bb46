#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace pointpng {

/// C_l = Σ_channels target_l source_lᵀ, all degrees flattened one after the other:
/// [B, d] × [B, d] → [B, Σ (2l+1)²]. The similarity depends on the pair only through it.
torch::Tensor correlate(const torch::Tensor& source, const torch::Tensor& target,
                        const std::vector<std::int64_t>& channels);

/// D^l(g), all degrees flattened as above: […, 4] → […, Σ (2l+1)²];
/// ⟨u_g(source), target⟩ = flat_wigner(g) · correlate(source, target).
torch::Tensor flat_wigner(const torch::Tensor& g, std::int64_t degree);

}  // namespace pointpng
