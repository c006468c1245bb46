#include "model/pool.h"

#include <algorithm>
#include <utility>

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

using Shape = kernels::PoolShape;
using kernels::for_each_number;
using kernels::for_each_row;

POINTPNG_SIMD void spread(const float* __restrict gradient, const float* __restrict harmonics,
                          const Shape& shape, float* __restrict inner, float* __restrict weights) {
  for_each_number(shape,
                  [&](std::int64_t there, std::int64_t here) { inner[here] = gradient[there]; });
  std::fill_n(weights, shape.tokens * shape.weights, 0.0F);
  for (std::int64_t t = 0; t < shape.tokens; ++t) {
    float* __restrict w = weights + t * shape.weights;
    const float* __restrict y = harmonics + t * shape.harmonics;
    for_each_row(shape,
                 [&](std::int64_t l, std::int64_t m, std::int64_t first, std::int64_t place) {
                   const float factor = y[l * l + m];
                   for (std::int64_t c = 0; c < shape.channels[l]; ++c)
                     w[first + c] += factor * inner[place + c];
                 });
  }
}

Shape shape_of(const Tensor& harmonics, torch::IntArrayRef channels) {
  Shape shape{harmonics.size(1), 0,
              harmonics.size(2), 0,
              channels.data(),   static_cast<std::int64_t>(channels.size())};
  for (std::int64_t l = 0; l < shape.degrees; ++l) {
    shape.weights += channels[static_cast<std::size_t>(l)];
    shape.length += channels[static_cast<std::size_t>(l)] * (2 * l + 1);
  }
  return shape;
}

Tensor pool_on_cpu(const Tensor& weights_given, const Tensor& harmonics_given,
                   torch::IntArrayRef channels) {
  const Tensor weights = weights_given.contiguous(), harmonics = harmonics_given.contiguous();
  const Shape shape = shape_of(harmonics, channels);
  Tensor z = torch::empty({weights.size(0), shape.length}, weights.options());
  const float *w = weights.data_ptr<float>(), *y = harmonics.data_ptr<float>();
  float* out = z.data_ptr<float>();
  at::parallel_for(0, weights.size(0), 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> inner(static_cast<std::size_t>(shape.length));
    for (std::int64_t b = begin; b < end; ++b)
      kernels::pool(w + b * shape.tokens * shape.weights, y + b * shape.tokens * shape.harmonics,
                    shape, inner.data(), out + b * shape.length);
  });
  return z;
}

Tensor pool_backward_on_cpu(const Tensor& gradient_given, const Tensor& harmonics_given,
                            torch::IntArrayRef channels) {
  const Tensor gradient = gradient_given.contiguous(), harmonics = harmonics_given.contiguous();
  const Shape shape = shape_of(harmonics, channels);
  const std::int64_t batch = harmonics.size(0);
  Tensor weights = torch::empty({batch, shape.tokens, shape.weights}, gradient.options());
  const float *from = gradient.data_ptr<float>(), *y = harmonics.data_ptr<float>();
  float* to = weights.data_ptr<float>();
  at::parallel_for(0, batch, 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> inner(static_cast<std::size_t>(shape.length));
    for (std::int64_t b = begin; b < end; ++b)
      spread(from + b * shape.length, y + b * shape.tokens * shape.harmonics, shape, inner.data(),
             to + b * shape.tokens * shape.weights);
  });
  return weights;
}

struct PoolByDegree : torch::autograd::Function<PoolByDegree> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& weights,
                        const Tensor& harmonics, const std::vector<std::int64_t>& channels) {
    context->save_for_backward({harmonics});
    context->saved_data["channels"] = channels;
    return ops::pool(weights, harmonics, channels);
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const std::vector<std::int64_t> channels = context->saved_data["channels"].toIntVector();
    return {ops::pool_backward(gradients[0], context->get_saved_variables()[0], channels), Tensor(),
            Tensor()};
  }
};

Tensor pool_by_tensors(const Tensor& weights, const Tensor& harmonics,
                       const std::vector<std::int64_t>& channels) {
  std::vector<Tensor> parts;
  std::int64_t first = 0;
  for (std::int64_t l = 0; std::cmp_less(l, channels.size()); ++l) {
    const std::int64_t m = channels[static_cast<std::size_t>(l)];
    const Tensor of_degree = harmonics.narrow(2, l * l, 2 * l + 1);
    parts.push_back(weights.narrow(2, first, m).transpose(1, 2).bmm(of_degree).flatten(1));
    first += m;
  }
  return torch::cat(parts, 1);
}

}  // namespace

Tensor pool_by_degree(const Tensor& weights, const Tensor& harmonics,
                      const std::vector<std::int64_t>& channels) {
  return ops::has_kernels(weights) && !harmonics.requires_grad()
             ? PoolByDegree::apply(weights, harmonics, channels)
             : pool_by_tensors(weights, harmonics, channels);
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  library.impl("pool", pointpng::pool_on_cpu);
  library.impl("pool_backward", pointpng::pool_backward_on_cpu);
}
