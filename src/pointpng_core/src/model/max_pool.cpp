#include "pointpng/model/max_pool.h"

#include <cstdint>
#include <cstring>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "../cloud/simd.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// One patch: k rows of c values.
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

POINTPNG_SIMD void spread_rows(const float* __restrict gradient,
                               const std::int32_t* __restrict which, std::int64_t k, std::int64_t c,
                               float* __restrict rows) {
  for (std::int64_t i = 0; i < k; ++i) {
    float* __restrict row = rows + i * c;
    const auto index = static_cast<std::int32_t>(i);
    for (std::int64_t j = 0; j < c; ++j) row[j] = which[j] == index ? gradient[j] : 0.0F;
  }
}

struct MaxOverPoints : torch::autograd::Function<MaxOverPoints> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    const Tensor rows = x.contiguous();
    const std::int64_t patches = rows.size(0), k = rows.size(1), c = rows.size(2);
    Tensor best = torch::empty({patches, c}, rows.options());
    Tensor which = torch::empty({patches, c}, rows.options().dtype(torch::kInt32));
    const float* in = rows.data_ptr<float>();
    float* out = best.data_ptr<float>();
    auto* index = which.data_ptr<std::int32_t>();
    at::parallel_for(0, patches, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p)
        max_rows(in + p * k * c, k, c, out + p * c, index + p * c);
    });
    context->save_for_backward({which});
    context->saved_data["k"] = k;
    return best;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const Tensor which = context->get_saved_variables()[0];
    const Tensor gradient = gradients[0].contiguous();
    const std::int64_t patches = which.size(0), c = which.size(1);
    const std::int64_t k = context->saved_data["k"].toInt();
    Tensor spread = torch::empty({patches, k, c}, gradient.options());
    const float* in = gradient.data_ptr<float>();
    const auto* index = which.data_ptr<std::int32_t>();
    float* out = spread.data_ptr<float>();
    at::parallel_for(0, patches, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p)
        spread_rows(in + p * c, index + p * c, k, c, out + p * k * c);
    });
    return {spread};
  }
};

}  // namespace

Tensor max_over_points(const Tensor& x) {
  if (x.device().is_cpu() && x.scalar_type() == torch::kFloat32) return MaxOverPoints::apply(x);
  return std::get<0>(x.max(1));
}

}  // namespace pointpng
