#include "model/attention.h"

#include <cmath>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "cloud/simd.h"
#include "model/fast_math.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// Sizes of one attention; rows of `qkv` hold q, k and v one after the other, head after head.
struct Shape {
  std::int64_t n;      ///< tokens
  std::int64_t width;  ///< of a token
  std::int64_t d;      ///< of a head
  std::int64_t row() const { return 3 * width; }
};

// Small dense products on rows with strides; the innermost loop runs over contiguous memory.

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

/// One head of one cloud: probabilities [n, n] and the output's columns of this head.
POINTPNG_SIMD void forward_head(const float* __restrict qkv, const float* __restrict bias,
                                const Shape& shape, float* __restrict scratch,
                                float* __restrict probabilities, float* __restrict out) {
  const std::int64_t n = shape.n, d = shape.d, row = shape.row();
  transpose(qkv + shape.width, row, n, d, scratch);  // kᵀ
  multiply({qkv, row}, scratch, n, n, d, n, probabilities, n);
  softmax(probabilities, n, bias, 1.0F / std::sqrt(static_cast<float>(d)));
  multiply({probabilities, n}, qkv + 2 * shape.width, row, n, n, d, out, shape.width);
}

/// The gradients of one head. `scratch` holds n² + n d floats; where `bias_gradient` is not
/// null it receives the gradient of the logits.
POINTPNG_SIMD void backward_head(const float* __restrict qkv, const float* __restrict probabilities,
                                 const float* __restrict gradient, const Shape& shape,
                                 float* __restrict scratch, float* __restrict qkv_gradient,
                                 float* __restrict bias_gradient) {
  const std::int64_t n = shape.n, d = shape.d, row = shape.row();
  float* logits_gradient = scratch;
  float* transposed = scratch + n * n;
  // dV = Pᵀ dO
  multiply({probabilities, 1, n}, gradient, shape.width, n, n, d, qkv_gradient + 2 * shape.width,
           row);
  // dP = dO Vᵀ, and through the softmax: dS = P ∘ (dP - rowsum(P ∘ dP))
  transpose(qkv + 2 * shape.width, row, n, d, transposed);
  multiply({gradient, shape.width}, transposed, n, n, d, n, logits_gradient, n);
  for (std::int64_t i = 0; i < n; ++i) {
    const float* __restrict p = probabilities + i * n;
    float* __restrict g = logits_gradient + i * n;
    float sum = 0.0F;
    for (std::int64_t j = 0; j < n; ++j) sum += p[j] * g[j];
    for (std::int64_t j = 0; j < n; ++j) g[j] = p[j] * (g[j] - sum);
  }
  if (bias_gradient != nullptr)
    for (std::int64_t i = 0; i < n * n; ++i) bias_gradient[i] = logits_gradient[i];
  // dQ = dS K / √d, dK = dSᵀ Q / √d
  const float scale = 1.0F / std::sqrt(static_cast<float>(d));
  for (std::int64_t i = 0; i < n * n; ++i) logits_gradient[i] *= scale;
  multiply({logits_gradient, n}, qkv + shape.width, row, n, n, d, qkv_gradient, row);
  multiply({logits_gradient, 1, n}, qkv, row, n, n, d, qkv_gradient + shape.width, row);
}

struct Attention : torch::autograd::Function<Attention> {
  /// No bias is a tensor without elements: LibTorch 1.13 takes no undefined one here.
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& qkv_given,
                        const Tensor& bias_given, std::int64_t heads) {
    const Tensor qkv = qkv_given.contiguous(), bias = bias_given.contiguous();
    const bool biased = bias.numel() > 0;
    const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
    const Shape shape{n, width, width / heads};
    Tensor probabilities = torch::empty({batch, heads, n, n}, qkv.options());
    Tensor out = torch::empty({batch, n, width}, qkv.options());
    const float* in = qkv.data_ptr<float>();
    const float* added = biased ? bias.data_ptr<float>() : nullptr;
    float* p = probabilities.data_ptr<float>();
    float* result = out.data_ptr<float>();
    at::parallel_for(0, batch * heads, 4, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch(static_cast<std::size_t>(n * shape.d));
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t b = i / heads, column = i % heads * shape.d;
        forward_head(in + b * n * shape.row() + column,
                     added != nullptr ? added + i * n * n : nullptr, shape, scratch.data(),
                     p + i * n * n, result + b * n * width + column);
      }
    });
    context->save_for_backward({qkv, probabilities});
    context->saved_data["heads"] = heads;
    // Asked of the given one: gradients are off here, and a contiguous copy wants none.
    context->saved_data["biased"] = biased && bias_given.requires_grad();
    return out;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &qkv = saved[0], &probabilities = saved[1];
    const Tensor gradient = gradients[0].contiguous();
    const std::int64_t heads = context->saved_data["heads"].toInt();
    const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
    const Shape shape{n, width, width / heads};
    Tensor qkv_gradient = torch::empty_like(qkv), bias_gradient;
    if (context->saved_data["biased"].toBool()) bias_gradient = torch::empty_like(probabilities);
    const float *in = qkv.data_ptr<float>(), *p = probabilities.data_ptr<float>();
    const float* from = gradient.data_ptr<float>();
    float* to = qkv_gradient.data_ptr<float>();
    float* to_bias = bias_gradient.defined() ? bias_gradient.data_ptr<float>() : nullptr;
    at::parallel_for(0, batch * heads, 4, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch(static_cast<std::size_t>(n * n + n * shape.d));
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t b = i / heads, column = i % heads * shape.d;
        backward_head(in + b * n * shape.row() + column, p + i * n * n,
                      from + b * n * width + column, shape, scratch.data(),
                      to + b * n * shape.row() + column,
                      to_bias != nullptr ? to_bias + i * n * n : nullptr);
      }
    });
    return {qkv_gradient, bias_gradient, Tensor()};
  }
};

}  // namespace

Tensor attention_by_tensors(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  const std::int64_t head_width = width / heads;
  const auto parts = qkv.view({batch, n, 3, heads, head_width}).permute({2, 0, 3, 1, 4}).unbind(0);
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_width));
  Tensor logits = (parts[0] * scale).matmul(parts[1].transpose(-1, -2));
  if (bias.defined()) logits = logits + bias;
  return logits.softmax(-1).matmul(parts[2]).transpose(1, 2).reshape({batch, n, width});
}

Tensor attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  if (qkv.device().is_cpu() && qkv.scalar_type() == torch::kFloat32)
    return Attention::apply(qkv, bias.defined() ? bias : torch::empty({0}, qkv.options()), heads);
  return attention_by_tensors(qkv, bias, heads);
}

}  // namespace pointpng
