#include "model/attention.h"

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/types.h>
#include <torch/version.h>

#include "cloud/simd.h"
#include "embed/kernels.h"
#include "embed/small_products.h"
#include "model/operators.h"

namespace pointpng {
namespace {

using torch::Tensor;

using Shape = kernels::AttentionShape;
using products::multiply;
using products::transpose;

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

std::tuple<Tensor, Tensor> attention_on_cpu(const Tensor& qkv_given, const Tensor& bias_given,
                                            std::int64_t heads) {
  const Tensor qkv = qkv_given.contiguous(), bias = bias_given.contiguous();
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  const Shape shape{n, width, width / heads};
  Tensor probabilities = torch::empty({batch, heads, n, n}, qkv.options());
  Tensor out = torch::empty({batch, n, width}, qkv.options());
  const float* in = qkv.data_ptr<float>();
  const float* added = bias.numel() > 0 ? bias.data_ptr<float>() : nullptr;
  float* p = probabilities.data_ptr<float>();
  float* result = out.data_ptr<float>();
  at::parallel_for(0, batch * heads, 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch(static_cast<std::size_t>(n * shape.d));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / heads, column = i % heads * shape.d;
      kernels::attention_head(in + b * n * shape.row() + column,
                              added != nullptr ? added + i * n * n : nullptr, shape, scratch.data(),
                              p + i * n * n, result + b * n * width + column);
    }
  });
  return {out, probabilities};
}

std::tuple<Tensor, Tensor> attention_backward_on_cpu(const Tensor& gradient_given,
                                                     const Tensor& qkv_given,
                                                     const Tensor& probabilities,
                                                     std::int64_t heads, bool of_bias) {
  const Tensor gradient = gradient_given.contiguous(), qkv = qkv_given.contiguous();
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  const Shape shape{n, width, width / heads};
  Tensor qkv_gradient = torch::empty_like(qkv);
  Tensor bias_gradient =
      of_bias ? torch::empty_like(probabilities) : torch::empty({0}, qkv.options());
  const float *in = qkv.data_ptr<float>(), *p = probabilities.data_ptr<float>();
  const float* from = gradient.data_ptr<float>();
  float* to = qkv_gradient.data_ptr<float>();
  float* to_bias = of_bias ? bias_gradient.data_ptr<float>() : nullptr;
  at::parallel_for(0, batch * heads, 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch(static_cast<std::size_t>(n * n + n * shape.d));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / heads, column = i % heads * shape.d;
      backward_head(in + b * n * shape.row() + column, p + i * n * n, from + b * n * width + column,
                    shape, scratch.data(), to + b * n * shape.row() + column,
                    to_bias != nullptr ? to_bias + i * n * n : nullptr);
    }
  });
  return {qkv_gradient, bias_gradient};
}

struct Attention : torch::autograd::Function<Attention> {
  /// No bias is a tensor without elements: LibTorch 1.13 takes no undefined one here.
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& qkv,
                        const Tensor& bias, std::int64_t heads) {
    const auto [out, probabilities] = ops::attention(qkv, bias, heads);
    context->save_for_backward({qkv, probabilities});
    context->saved_data["heads"] = heads;
    context->saved_data["biased"] = bias.numel() > 0 && bias.requires_grad();
    return out;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const bool biased = context->saved_data["biased"].toBool();
    const auto [qkv, bias] = ops::attention_backward(gradients[0], saved[0], saved[1],
                                                     context->saved_data["heads"].toInt(), biased);
    return {qkv, biased ? bias : Tensor(), Tensor()};
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

#if TORCH_VERSION_MAJOR >= 2
Tensor attention_of_libtorch(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  const auto parts =
      qkv.view({batch, n, 3, heads, width / heads}).permute({2, 0, 3, 1, 4}).unbind(0);
  return at::scaled_dot_product_attention(
             parts[0], parts[1], parts[2],
             bias.defined() ? std::optional<Tensor>(bias) : std::nullopt)
      .transpose(1, 2)
      .reshape({batch, n, width});
}
#endif

Tensor attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
#if TORCH_VERSION_MAJOR >= 2
  if (qkv.is_cuda()) return attention_of_libtorch(qkv, bias, heads);
#endif
  if (ops::has_kernels(qkv))
    return Attention::apply(qkv, bias.defined() ? bias : torch::empty({0}, qkv.options()), heads);
  return attention_by_tensors(qkv, bias, heads);
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  library.impl("attention", pointpng::attention_on_cpu);
  library.impl("attention_backward", pointpng::attention_backward_on_cpu);
}
