#include "model/batch_norm.h"

#include <ATen/Context.h>
#include <torch/types.h>

namespace pointpng {
namespace {

constexpr double kMomentum = 0.1, kSmallest = 1e-5;

}  // namespace

BatchNormImpl::BatchNormImpl(std::int64_t channels)
    : weight(register_parameter("weight", torch::ones({channels}))),
      bias(register_parameter("bias", torch::zeros({channels}))),
      running_mean(register_buffer("running_mean", torch::zeros({channels}))),
      running_var(register_buffer("running_var", torch::ones({channels}))),
      num_batches_tracked(
          register_buffer("num_batches_tracked", torch::tensor(0, torch::kInt64))) {}

Tensor BatchNormImpl::forward(const Tensor& x) {
  if (is_training()) num_batches_tracked.add_(1);
  if (!gather_ || !is_training())
    return torch::batch_norm(x, weight, bias, running_mean, running_var, is_training(), kMomentum,
                             kSmallest, at::globalContext().userEnabledCuDNN());
  // As many rows in every process: the moments of all are means of those of each (Chan et al.
  // 1983).
  const Tensor own = x.mean(0);
  const Tensor moments = gather_(torch::stack({own, (x - own).square().mean(0)}).unsqueeze(0));
  const Tensor means = moments.select(1, 0), mean = means.mean(0);
  const Tensor variance = (moments.select(1, 1) + (means - mean).square()).mean(0);
  {
    const torch::NoGradGuard no_grad;
    const auto rows = static_cast<double>(x.size(0) * moments.size(0));
    running_mean.lerp_(mean, kMomentum);
    running_var.lerp_(variance * (rows / (rows - 1.0)), kMomentum);
  }
  return (x - mean) * (weight * (variance + kSmallest).rsqrt()) + bias;
}

void share_statistics(torch::nn::Module& module, const BatchNormImpl::Gather& gather) {
  for (const auto& part : module.modules(/*include_self=*/false))
    if (auto* norm = part->as<BatchNormImpl>()) norm->share_statistics(gather);
}

}  // namespace pointpng
