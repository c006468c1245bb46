#pragma once

#include <cstdint>

#include "cloud/simd.h"

/// Small dense products on rows with strides, to be inlined into functions marked POINTPNG_SIMD;
/// the innermost loop runs over contiguous memory.
namespace pointpng::products {

/// The left factor of a product: element (i, c) is data[i * row + c * column], so that a transposed
/// matrix is read where it is.
struct Left {
  const float* data;
  std::int64_t row, column = 1;
};

/// A tile of `kRows` rows and 8 · `kVectors` columns of out = a b, kept in registers.
template <int kRows, int kVectors>
inline __attribute__((always_inline)) void multiply_tile(const Left& a, const float* b,
                                                         std::int64_t b_row, std::int64_t inner,
                                                         float* out, std::int64_t out_row) {
  simd::Floats sums[kRows][kVectors] = {};
  for (std::int64_t c = 0; c < inner; ++c) {
    simd::Floats from[kVectors];
    for (int v = 0; v < kVectors; ++v)
      from[v] = *reinterpret_cast<const simd::LooseFloats*>(b + c * b_row + v * simd::kLanes);
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) sums[r][v] += a.data[r * a.row + c * a.column] * from[v];
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      *reinterpret_cast<simd::LooseFloats*>(out + r * out_row + v * simd::kLanes) = sums[r][v];
}

/// out[i, j] = Σ_c a(i, c) b[c, j]
inline __attribute__((always_inline)) void multiply(const Left& a, const float* b,
                                                    std::int64_t b_row, std::int64_t rows,
                                                    std::int64_t inner, std::int64_t columns,
                                                    float* out, std::int64_t out_row) {
  constexpr std::int64_t kTileRows = 4, kTileColumns = 2 * simd::kLanes;
  const auto from_row = [&](std::int64_t i) { return Left{a.data + i * a.row, a.row, a.column}; };
  std::int64_t i = 0;
  for (; i + kTileRows <= rows; i += kTileRows)
    for (std::int64_t j = 0; j + kTileColumns <= columns; j += kTileColumns)
      multiply_tile<4, 2>(from_row(i), b + j, b_row, inner, out + i * out_row + j, out_row);
  for (; i < rows; ++i)
    for (std::int64_t j = 0; j + kTileColumns <= columns; j += kTileColumns)
      multiply_tile<1, 2>(from_row(i), b + j, b_row, inner, out + i * out_row + j, out_row);
  const std::int64_t tiled = columns / kTileColumns * kTileColumns;
  for (i = 0; i < rows; ++i)
    for (std::int64_t j = tiled; j < columns; ++j) {
      float sum = 0.0F;
      for (std::int64_t c = 0; c < inner; ++c)
        sum += a.data[i * a.row + c * a.column] * b[c * b_row + j];
      out[i * out_row + j] = sum;
    }
}

inline __attribute__((always_inline)) void transpose(const float* __restrict from,
                                                     std::int64_t from_row, std::int64_t rows,
                                                     std::int64_t columns, float* __restrict to) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * from_row + j];
}

}  // namespace pointpng::products
