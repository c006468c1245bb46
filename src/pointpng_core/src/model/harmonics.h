#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace pointpng {

using torch::Tensor;

/// Real spherical harmonics of degree 0 … `degree` of unit vectors […, 3] → […, (degree + 1)²],
/// degree after degree, scaled so that every degree's 2l+1 values have length 1.
Tensor spherical_harmonics(const Tensor& directions, std::int64_t degree);

/// Real Wigner matrices: element l is […, 2l+1, 2l+1] with Y_l(R v) = D^l(R) Y_l(v) for the
/// harmonics above. D^l(g h) = D^l(g) D^l(h), D^l(g⁻¹) = D^l(g)ᵀ. Differentiable in q […, 4].
std::vector<Tensor> wigner_matrices(const Tensor& q, std::int64_t degree);

/// The same, flattened row by row one after the other: […, Σ (2l+1)²].
Tensor flat_wigner(const Tensor& q, std::int64_t degree);

/// The derivatives of D^l(exp(w)) at w = 0 along the three axes: element l is [3, 2l+1, 2l+1], each
/// antisymmetric. D^l(exp(w) g) = matrix_exp(Σ_a w_a G_a) D^l(g).
std::vector<Tensor> wigner_generators(std::int64_t degree);

}  // namespace pointpng
