#include "model/max_pool.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/types.h>

#include "cloud/simd.h"
#include "embed/kernels.h"
#include "model/operators.h"

namespace pointpng {
namespace {

using torch::Tensor;

POINTPNG_SIMD void spread_rows(const float* __restrict gradient,
                               const std::int32_t* __restrict which, std::int64_t k, std::int64_t c,
                               float* __restrict rows) {
  for (std::int64_t i = 0; i < k; ++i) {
    float* __restrict row = rows + i * c;
    const auto index = static_cast<std::int32_t>(i);
    for (std::int64_t j = 0; j < c; ++j) row[j] = which[j] == index ? gradient[j] : 0.0F;
  }
}

std::tuple<Tensor, Tensor> max_on_cpu(const Tensor& x) {
  const Tensor rows = x.contiguous();
  const std::int64_t patches = rows.size(0), k = rows.size(1), c = rows.size(2);
  Tensor best = torch::empty({patches, c}, rows.options());
  Tensor which = torch::empty({patches, c}, rows.options().dtype(torch::kInt32));
  const float* in = rows.data_ptr<float>();
  float* out = best.data_ptr<float>();
  auto* index = which.data_ptr<std::int32_t>();
  at::parallel_for(0, patches, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      kernels::max_rows(in + p * k * c, k, c, out + p * c, index + p * c);
  });
  return {best, which};
}

Tensor max_backward_on_cpu(const Tensor& gradient_given, const Tensor& which, std::int64_t k) {
  const Tensor gradient = gradient_given.contiguous();
  const std::int64_t patches = which.size(0), c = which.size(1);
  Tensor spread = torch::empty({patches, k, c}, gradient.options());
  const float* in = gradient.data_ptr<float>();
  const auto* index = which.data_ptr<std::int32_t>();
  float* out = spread.data_ptr<float>();
  at::parallel_for(0, patches, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      spread_rows(in + p * c, index + p * c, k, c, out + p * k * c);
  });
  return spread;
}

struct MaxOverPoints : torch::autograd::Function<MaxOverPoints> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    const auto [best, which] = ops::max_over_points(x);
    context->save_for_backward({which});
    context->saved_data["k"] = x.size(1);
    return best;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    return {ops::max_backward(gradients[0], context->get_saved_variables()[0],
                              context->saved_data["k"].toInt())};
  }
};

/// One patch: every gradient is added to that of the row that won and of its column of W.
POINTPNG_SIMD void spread_products(const float* __restrict gradient,
                                   const std::int32_t* __restrict which,
                                   const float* __restrict rows, const float* __restrict weight,
                                   std::int64_t b, std::int64_t c, float* __restrict rows_gradient,
                                   float* __restrict weight_gradient) {
  for (std::int64_t j = 0; j < c; ++j) {
    const float g = gradient[j];
    if (g == 0.0F) continue;  // about half of them: a ReLU follows
    const std::int64_t row = which[j] * b, column = j * b;
    for (std::int64_t i = 0; i < b; ++i) {
      rows_gradient[row + i] += g * weight[column + i];
      weight_gradient[column + i] += g * rows[row + i];
    }
  }
}

/// W [c, b] as panels of kernels::kPanel of its rows, transposed: [panels, b, kernels::kPanel], the
/// last one padded with zeros.
Tensor in_panels(const Tensor& weight) {
  const std::int64_t c = weight.size(0), b = weight.size(1),
                     panels = (c + kernels::kPanel - 1) / kernels::kPanel;
  Tensor padded = torch::zeros({panels * kernels::kPanel, b}, weight.options());
  padded.narrow(0, 0, c).copy_(weight);
  return padded.view({panels, kernels::kPanel, b}).transpose(1, 2).contiguous();
}

/// Both maxima of the same rows, whose gradients then need no sum of two large tensors.
struct PatchMaximaFunction : torch::autograd::Function<PatchMaximaFunction> {
  static torch::autograd::tensor_list forward(torch::autograd::AutogradContext* context,
                                              const Tensor& x, const Tensor& weight_given) {
    const Tensor rows = x.contiguous(), weight = weight_given.contiguous();
    const std::int64_t patches = rows.size(0), k = rows.size(1), b = rows.size(2);
    const Tensor packed = in_panels(weight);
    const std::int64_t panels = packed.size(0), width = panels * kernels::kPanel;
    const auto integers = rows.options().dtype(torch::kInt32);
    Tensor best = torch::empty({patches, b}, rows.options());
    Tensor which = torch::empty({patches, b}, integers);
    Tensor best_product = torch::empty({patches, width}, rows.options());
    Tensor which_product = torch::empty({patches, width}, integers);
    const float *in = rows.data_ptr<float>(), *columns = packed.data_ptr<float>();
    float *out = best.data_ptr<float>(), *out_product = best_product.data_ptr<float>();
    auto *index = which.data_ptr<std::int32_t>(),
         *index_product = which_product.data_ptr<std::int32_t>();
    at::parallel_for(0, patches, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        kernels::max_rows(in + p * k * b, k, b, out + p * b, index + p * b);
        for (std::int64_t j = 0; j < panels; ++j)
          kernels::best_products(in + p * k * b, k, b, columns + j * b * kernels::kPanel,
                                 out_product + p * width + j * kernels::kPanel,
                                 index_product + p * width + j * kernels::kPanel);
      }
    });
    context->save_for_backward({rows, weight, which, which_product});
    return {best, best_product.narrow(1, 0, weight.size(0)).contiguous()};
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    // W's gradient is summed in a fixed number of parts, so that it does not depend on the
    // number of threads.
    constexpr std::int64_t kParts = 16;
    const auto saved = context->get_saved_variables();
    const Tensor &rows = saved[0], &weight = saved[1], &which = saved[2], &which_product = saved[3];
    const Tensor gradient = gradients[0].contiguous(), of_product = gradients[1].contiguous();
    const std::int64_t patches = rows.size(0), k = rows.size(1), b = rows.size(2);
    const std::int64_t c = weight.size(0), width = which_product.size(1);
    const std::int64_t part = (patches + kParts - 1) / kParts;
    Tensor rows_gradient = torch::empty_like(rows);
    Tensor weight_gradients = torch::zeros({kParts, c, b}, weight.options());
    const float *from = gradient.data_ptr<float>(), *from_product = of_product.data_ptr<float>();
    const float *in = rows.data_ptr<float>(), *columns = weight.data_ptr<float>();
    const auto *index = which.data_ptr<std::int32_t>(),
               *index_product = which_product.data_ptr<std::int32_t>();
    float *to_rows = rows_gradient.data_ptr<float>(), *sums = weight_gradients.data_ptr<float>();
    at::parallel_for(0, kParts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t p = i * part; p < std::min((i + 1) * part, patches); ++p) {
          spread_rows(from + p * b, index + p * b, k, b, to_rows + p * k * b);
          spread_products(from_product + p * c, index_product + p * width, in + p * k * b, columns,
                          b, c, to_rows + p * k * b, sums + i * c * b);
        }
    });
    return {rows_gradient, weight_gradients.sum(0)};
  }
};

}  // namespace

Tensor max_over_points(const Tensor& x) {
  return ops::has_kernels(x) ? MaxOverPoints::apply(x) : std::get<0>(x.max(1));
}

PatchMaxima patch_maxima(const Tensor& x, const Tensor& weight) {
  if (!x.is_cpu() || !ops::has_kernels(x))
    return {max_over_points(x), max_over_points(x.matmul(weight.t()))};
  const auto found = PatchMaximaFunction::apply(x, weight);
  return {found[0], found[1]};
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  library.impl("max_over_points", pointpng::max_on_cpu);
  library.impl("max_backward", pointpng::max_backward_on_cpu);
}
