#pragma once

#include <torch/types.h>

#include "model/predictor.h"
#include "pointpng/training.h"

namespace pointpng {

using torch::Tensor;

// All embeddings are unit vectors, so |a - b|² = 2 - 2 ⟨a, b⟩ throughout.

/// L_align*: mean |u_g(z) - z⁺|² from the similarities ⟨u_g(z), z⁺⟩ [N].
Tensor align_loss(const Tensor& positive_similarity);

/// L_cope, Eq. 3: pushes the anchor u_g(z) away from its pseudo-negatives (similarities [N, M]); at
/// collapse it is log(M + 1), its maximum.
Tensor cope_loss(const Tensor& positive_similarity, const Tensor& negative_similarity,
                 double temperature);

/// L_unif, Eq. 1: log of the mean Gaussian potential over pairs of embeddings [N, d] of different
/// objects ([N] integers).
Tensor uniformity_loss(const Tensor& z, const Tensor& objects, double temperature);

/// L_ssl = L_align + L_unif, Eq. 1: the contrastive loss that makes two views [B, d] of a shape
/// alike (SimCLR), or, with u_g(z) as the first of them, the prediction and its target.
Tensor contrastive_loss(const Tensor& first, const Tensor& second, double temperature);

/// L_SIE of the paper's appendix, with Z = √d z: on the unit sphere that is the scale at which
/// every element can have the variance 1 that V requires. Squares are means over elements, as in
/// SIE's own code.
struct SieLoss {
  Tensor total, invariance, equivariance, regularisation, stability;
};

/// For u_g(z), z and z⁺ [B, d], of which the first `invariant` elements are Z_inv.
SieLoss sie_loss(const Tensor& predicted, const Tensor& z, const Tensor& z_plus,
                 std::int64_t invariant, const LossConfig& config);

/// The objective and the logged metrics: scalars on the device.
struct PointPngLoss {
  Tensor total, align, cope, uniformity;
  Tensor pa;  ///< predictor accuracy: sim(u_g(z), z⁺)
  Tensor ae;  ///< absolute equivariance: PA - sim(z, z⁺); 0 when the embedding is invariant
};

/// L = L_align* + β L_cope + (1 - β) L_unif for z [B, d] and z⁺ [B, d] of clouds with x⁺ = g x.
PointPngLoss point_png_loss(Predictor& predictor, const Tensor& z, const Tensor& z_plus,
                            const Tensor& g, const LossConfig& config, torch::Generator generator);

}  // namespace pointpng
