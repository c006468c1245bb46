#include "embed/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "embed/fast_math.h"
#include "embed/small_products.h"

namespace pointpng::kernels {
namespace {

/// Rows of logits to rows of probabilities, in place.
inline __attribute__((always_inline)) void softmax(float* __restrict logits, std::int64_t n,
                                                   const float* __restrict bias, float scale) {
  for (std::int64_t i = 0; i < n; ++i) {
    float* __restrict row = logits + i * n;
    for (std::int64_t j = 0; j < n; ++j) row[j] *= scale;
    if (bias != nullptr)
      for (std::int64_t j = 0; j < n; ++j) row[j] += bias[i * n + j];
    float largest = row[0];
    for (std::int64_t j = 1; j < n; ++j) largest = row[j] > largest ? row[j] : largest;
    float sum = 0.0F;
    for (std::int64_t j = 0; j < n; ++j) row[j] = fast::exp_negative(row[j] - largest);
    for (std::int64_t j = 0; j < n; ++j) sum += row[j];
    const float factor = 1.0F / sum;
    for (std::int64_t j = 0; j < n; ++j) row[j] *= factor;
  }
}

/// Lets the products of `kRows` rows with a panel of W, [b, kPanel], compete with the best so far.
template <int kRows>
inline __attribute__((always_inline)) void compete(const float* rows, std::int64_t b,
                                                   const float* panel, std::int32_t first,
                                                   simd::Floats* best, simd::Ints* which) {
  simd::Floats sums[kRows][kVectors] = {};
  for (std::int64_t i = 0; i < b; ++i)
    for (int v = 0; v < kVectors; ++v) {
      const simd::Floats from =
          *reinterpret_cast<const simd::LooseFloats*>(panel + i * kPanel + v * simd::kLanes);
      for (int r = 0; r < kRows; ++r) sums[r][v] += rows[r * b + i] * from;
    }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) {
      const simd::Ints larger = sums[r][v] > best[v];
      best[v] = larger ? sums[r][v] : best[v];
      which[v] = larger ? simd::Ints{} + (first + r) : which[v];
    }
}

/// By the recursions of the associated Legendre functions, 8 points at a time.
POINTPNG_SIMD void harmonics_of(const float* directions, std::int64_t count, std::int64_t degree,
                                const float* scales, float* out) {
  constexpr std::int64_t kMost = (kMostDegree + 1) * (kMostDegree + 1);
  const std::int64_t row = (degree + 1) * (degree + 1);
  for (std::int64_t first = 0; first < count; first += simd::kLanes) {
    const std::int64_t lanes = std::min(simd::kLanes, count - first);
    simd::Floats x = {}, y = {}, z = {};
    for (std::int64_t i = 0; i < lanes; ++i) {
      const float* v = directions + 3 * (first + i);
      x[i] = v[0];
      y[i] = v[1];
      z[i] = v[2];
    }
    simd::Floats values[kMost];
    simd::Floats real = x - x + 1.0F, imaginary = x - x, start = real;
    for (std::int64_t m = 0; m <= degree; ++m) {
      simd::Floats before = {}, p = start;
      for (std::int64_t l = m; l <= degree; ++l) {
        const std::int64_t at = m == 0 ? l * l : l * l + 2 * m - 1;
        const float scale = scales[l * (kMostDegree + 1) + m];
        values[at] = scale * p * real;
        if (m > 0) values[at + 1] = scale * p * imaginary;
        const simd::Floats next =
            (static_cast<float>(2 * l + 1) * z * p - static_cast<float>(l + m) * before) *
            (1.0F / static_cast<float>(l + 1 - m));
        before = p;
        p = next;
      }
      start = start * static_cast<float>(2 * m + 1);
      const simd::Floats turned = x * real - y * imaginary;
      imaginary = x * imaginary + y * real;
      real = turned;
    }
    for (std::int64_t i = 0; i < lanes; ++i)
      for (std::int64_t j = 0; j < row; ++j) out[(first + i) * row + j] = values[j][i];
  }
}

}  // namespace

POINTPNG_SIMD void linear(const float* x, std::int64_t rows, std::int64_t in, const float* weights,
                          const float* bias, std::int64_t out, float* y) {
  products::multiply({x, in}, weights, out, rows, in, out, y, out);
  if (bias == nullptr) return;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t o = 0; o < out; ++o) y[i * out + o] += bias[o];
}

POINTPNG_SIMD void layer_norm(const float* x, std::int64_t rows, std::int64_t width,
                              const float* scale, const float* shift, float* y) {
  constexpr float kEpsilon = 1e-5F;  // LibTorch's
  const auto count = static_cast<float>(width);
  for (std::int64_t i = 0; i < rows; ++i, x += width, y += width) {
    float sum = 0.0F, squares = 0.0F;
    for (std::int64_t c = 0; c < width; ++c) sum += x[c];
    const float mean = sum / count;
    for (std::int64_t c = 0; c < width; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const float factor = 1.0F / std::sqrt(squares / count + kEpsilon);
    for (std::int64_t c = 0; c < width; ++c) y[c] = (x[c] - mean) * factor * scale[c] + shift[c];
  }
}

POINTPNG_SIMD void gelu(const float* __restrict x, std::int64_t count, float* __restrict out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] * fast::normal(x[i]).below;
}

POINTPNG_SIMD void attention_head(const float* __restrict qkv, const float* __restrict bias,
                                  const AttentionShape& shape, float* __restrict scratch,
                                  float* __restrict probabilities, float* __restrict out) {
  const std::int64_t n = shape.n, d = shape.d, row = shape.row();
  products::transpose(qkv + shape.width, row, n, d, scratch);  // kᵀ
  products::multiply({qkv, row}, scratch, n, n, d, n, probabilities, n);
  softmax(probabilities, n, bias, 1.0F / std::sqrt(static_cast<float>(d)));
  products::multiply({probabilities, n}, qkv + 2 * shape.width, row, n, n, d, out, shape.width);
}

POINTPNG_SIMD void max_rows(const float* __restrict rows, std::int64_t k, std::int64_t c,
                            float* __restrict best, std::int32_t* __restrict which) {
  std::memcpy(best, rows, static_cast<std::size_t>(c) * sizeof(float));
  std::memset(which, 0, static_cast<std::size_t>(c) * sizeof(std::int32_t));
  for (std::int64_t i = 1; i < k; ++i) {
    const float* __restrict row = rows + i * c;
    const auto index = static_cast<std::int32_t>(i);
    for (std::int64_t j = 0; j < c; ++j) {
      const bool larger = row[j] > best[j];
      best[j] = larger ? row[j] : best[j];
      which[j] = larger ? index : which[j];
    }
  }
}

POINTPNG_SIMD void best_products(const float* rows, std::int64_t k, std::int64_t b,
                                 const float* panel, float* largest, std::int32_t* winners) {
  constexpr std::int64_t kTile = 4;
  simd::Floats best[kVectors];
  simd::Ints which[kVectors] = {};
  for (simd::Floats& values : best)
    values = simd::Floats{} - std::numeric_limits<float>::infinity();
  std::int64_t i = 0;
  for (; i + kTile <= k; i += kTile)
    compete<kTile>(rows + i * b, b, panel, static_cast<std::int32_t>(i), best, which);
  for (; i < k; ++i) compete<1>(rows + i * b, b, panel, static_cast<std::int32_t>(i), best, which);
  std::memcpy(largest, best, sizeof(best));
  std::memcpy(winners, which, sizeof(which));
}

double harmonic_scale(std::int64_t l, std::int64_t m) {
  const auto log_factorial = [](std::int64_t n) { return std::lgamma(static_cast<double>(n + 1)); };
  return (m == 0 ? 1.0 : std::numbers::sqrt2) *
         std::exp(0.5 * (log_factorial(l - m) - log_factorial(l + m)));
}

void spherical_harmonics(const float* directions, std::int64_t count, std::int64_t degree,
                         float* out) {
  static const auto scales = [] {
    std::array<std::array<float, kMostDegree + 1>, kMostDegree + 1> table{};
    for (std::size_t l = 0; l < table.size(); ++l)
      for (std::size_t m = 0; m <= l; ++m)
        table[l][m] = static_cast<float>(
            harmonic_scale(static_cast<std::int64_t>(l), static_cast<std::int64_t>(m)));
    return table;
  }();
  harmonics_of(directions, count, degree, scales[0].data(), out);
}

POINTPNG_SIMD void pool(const float* __restrict weights, const float* __restrict harmonics,
                        const PoolShape& shape, float* __restrict inner, float* __restrict z) {
  std::fill_n(inner, shape.length, 0.0F);
  for (std::int64_t t = 0; t < shape.tokens; ++t) {
    const float* __restrict w = weights + t * shape.weights;
    const float* __restrict y = harmonics + t * shape.harmonics;
    for_each_row(shape,
                 [&](std::int64_t l, std::int64_t m, std::int64_t first, std::int64_t place) {
                   const float factor = y[l * l + m];
                   for (std::int64_t c = 0; c < shape.channels[l]; ++c)
                     inner[place + c] += factor * w[first + c];
                 });
  }
  for_each_number(shape, [&](std::int64_t there, std::int64_t here) { z[there] = inner[here]; });
}

}  // namespace pointpng::kernels
