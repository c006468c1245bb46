#include "model/gelu.h"

#include <cstdint>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "cloud/simd.h"
#include "embed/fast_math.h"
#include "embed/kernels.h"

namespace pointpng {
namespace {

using torch::Tensor;

constexpr std::int64_t kGrain = 1 << 14;  // elements per thread at least

POINTPNG_SIMD void backward_kernel(const float* __restrict x, const float* __restrict gradient,
                                   std::int64_t count, float* __restrict out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const fast::Normal at = fast::normal(x[i]);
    out[i] = gradient[i] * (at.below + x[i] * at.density);
  }
}

struct Gelu : torch::autograd::Function<Gelu> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given) {
    const Tensor x = given.contiguous();
    Tensor out = torch::empty_like(x);
    const float* from = x.data_ptr<float>();
    float* to = out.data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      kernels::gelu(from + begin, end - begin, to + begin);
    });
    context->save_for_backward({x});
    return out;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const Tensor x = context->get_saved_variables()[0], gradient = gradients[0].contiguous();
    Tensor out = torch::empty_like(x);
    const float *from = x.data_ptr<float>(), *incoming = gradient.data_ptr<float>();
    float* to = out.data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      backward_kernel(from + begin, incoming + begin, end - begin, to + begin);
    });
    return {out};
  }
};

}  // namespace

Tensor gelu_activation(const Tensor& x) {
  if (x.device().is_cpu() && x.scalar_type() == torch::kFloat32) return Gelu::apply(x);
  Tensor activated = torch::gelu(x);
  if (activated.requires_grad())
    activated.register_hook([](const Tensor& gradient) { return gradient.contiguous(); });
  return activated;
}

}  // namespace pointpng
