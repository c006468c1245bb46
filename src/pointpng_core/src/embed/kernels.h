#pragma once

#include <cstdint>

#include "cloud/simd.h"

/// The loops in which an embedding spends its time, on plain pointers, one cloud at a time: shared
/// by the embedder without LibTorch and by LibTorch's training on the CPU.
namespace pointpng::kernels {

// Linear layers
// -------------------------------------------------------------------------------------------

/// y[i, o] = bias[o] + Σ_c x[i, c] weights[c, o]; `weights` is [in, out], `bias` may be null.
void linear(const float* x, std::int64_t rows, std::int64_t in, const float* weights,
            const float* bias, std::int64_t out, float* y);

/// Rows of `width` numbers to mean 0 and variance 1, then scaled and shifted.
void layer_norm(const float* x, std::int64_t rows, std::int64_t width, const float* scale,
                const float* shift, float* y);

/// x Φ(x).
void gelu(const float* __restrict x, std::int64_t count, float* __restrict out);

// Attention
// -------------------------------------------------------------------------------------------

/// Sizes of one attention; rows of `qkv` hold q, k and v one after the other, head after head.
struct AttentionShape {
  std::int64_t n;      ///< tokens
  std::int64_t width;  ///< of a token
  std::int64_t d;      ///< of a head
  std::int64_t row() const { return 3 * width; }
};

/// softmax(q kᵀ / √d + bias) v of one head: probabilities [n, n] and the output's columns of this
/// head. `scratch` holds n d floats, `bias` [n, n] may be null.
void attention_head(const float* __restrict qkv, const float* __restrict bias,
                    const AttentionShape& shape, float* __restrict scratch,
                    float* __restrict probabilities, float* __restrict out);

// Maxima over the points of a patch
// -------------------------------------------------------------------------------------------

/// Maxima of the c columns of k rows, and in which row each is (the first of equals).
void max_rows(const float* __restrict rows, std::int64_t k, std::int64_t c, float* __restrict best,
              std::int32_t* __restrict which);

inline constexpr std::int64_t kVectors = 2;  ///< of a panel's columns
inline constexpr std::int64_t kPanel = kVectors * simd::kLanes;

/// The maxima over k rows [k, b] of their products with a panel of weights [b, kPanel], and in
/// which row each is; the products themselves are never stored.
void best_products(const float* rows, std::int64_t k, std::int64_t b, const float* panel,
                   float* largest, std::int32_t* winners);

// Spherical harmonics
// -------------------------------------------------------------------------------------------

inline constexpr std::int64_t kMostDegree = 8;

/// √2 √((l-m)! / (l+m)!), without the √2 for m = 0: makes Σ_m Y² = 1, the addition theorem without
/// its (2l+1)/4π.
double harmonic_scale(std::int64_t l, std::int64_t m);

/// Real spherical harmonics of degree 0 … `degree` of unit vectors [count, 3] → [count,
/// (degree + 1)²].
void spherical_harmonics(const float* directions, std::int64_t count, std::int64_t degree,
                         float* out);

// Equivariant pooling
// -------------------------------------------------------------------------------------------

/// The sizes of one pooling. While it is computed z lies with its channels innermost, [l, m,
/// channel], so that loops run over contiguous memory.
struct PoolShape {
  std::int64_t tokens, weights, harmonics, length;
  const std::int64_t* channels;
  std::int64_t degrees;
};

/// Calls `action(l, m, first channel, place in [l, m, channel])` for all rows of channels.
template <class Action>
inline __attribute__((always_inline)) void for_each_row(const PoolShape& shape,
                                                        const Action& action) {
  std::int64_t first = 0, place = 0;
  for (std::int64_t l = 0; l < shape.degrees; ++l) {
    for (std::int64_t m = 0; m < 2 * l + 1; ++m, place += shape.channels[l])
      action(l, m, first, place);
    first += shape.channels[l];
  }
}

/// Between [l, m, channel] and z's order, [l, channel, m]: z[there] and inner[here] belong
/// together.
template <class Action>
inline __attribute__((always_inline)) void for_each_number(const PoolShape& shape,
                                                           const Action& action) {
  std::int64_t start = 0;
  for_each_row(shape, [&](std::int64_t l, std::int64_t m, std::int64_t, std::int64_t place) {
    for (std::int64_t c = 0; c < shape.channels[l]; ++c)
      action(start + c * (2 * l + 1) + m, place + c);
    if (m == 2 * l) start += shape.channels[l] * (2 * l + 1);
  });
}

/// z_l = Σ_tokens w · Y_l for one cloud: weights [tokens, Σ m_l], harmonics [tokens, (L+1)²];
/// `inner` has room for z.
void pool(const float* __restrict weights, const float* __restrict harmonics,
          const PoolShape& shape, float* __restrict inner, float* __restrict z);

}  // namespace pointpng::kernels
