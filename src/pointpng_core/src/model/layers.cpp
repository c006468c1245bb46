#include "model/layers.h"

#include <torch/types.h>

#include "model/attention.h"
#include "model/gelu.h"
#include "model/max_pool.h"

namespace pointpng {

MlpImpl::MlpImpl(std::int64_t in, std::int64_t hidden, std::int64_t out)
    : expand_(register_module("expand", torch::nn::Linear(in, hidden))),
      contract_(register_module("contract", torch::nn::Linear(hidden, out))) {}

Tensor MlpImpl::forward(const Tensor& x) { return contract_(gelu_activation(expand_(x))); }

BlockImpl::BlockImpl(std::int64_t width, std::int64_t heads, std::int64_t mlp_ratio)
    : heads_(heads),
      attention_norm_(register_module("attention_norm",
                                      torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
      mlp_norm_(
          register_module("mlp_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
      qkv_(register_module("qkv", torch::nn::Linear(width, 3 * width))),
      out_(register_module("out", torch::nn::Linear(width, width))),
      mlp_(register_module("mlp", Mlp(width, mlp_ratio * width, width))) {}

Tensor BlockImpl::forward(const Tensor& x, const Tensor& bias) {
  const Tensor attended = x + out_(attention(qkv_(attention_norm_(x)), bias, heads_));
  return attended + mlp_(mlp_norm_(attended));
}

PatchEncoderImpl::PatchEncoderImpl(const ModelConfig& config)
    : batch_norm_(config.patch_batch_norm) {
  const std::int64_t a = config.patch_widths[0], b = config.patch_widths[1],
                     c = config.patch_widths[2];
  first_ = register_module("first", torch::nn::Linear(3, a));
  second_ = register_module("second", torch::nn::Linear(a, b));
  third_ = register_module("third", torch::nn::Linear(2 * b, c));
  last_ = register_module("last", torch::nn::Linear(c, config.width));
  if (!batch_norm_) return;
  first_norm_ = register_module("first_norm", BatchNorm(a));
  third_norm_ = register_module("third_norm", BatchNorm(c));
}

Tensor PatchEncoderImpl::forward(const Tensor& points) {
  const std::int64_t batch = points.size(0), n = points.size(1), k = points.size(2);
  Tensor x = first_(points.reshape({-1, 3}));
  if (batch_norm_) x = first_norm_(x);
  // third([local, global]) is computed without the concatenation, and everything that is the same
  // for all points of a patch is added after the maximum, where it costs k times less.
  const Tensor local = torch::relu(x).mm(second_->weight.t());  // [B n k, b], without its bias
  const std::int64_t b = local.size(1);
  const Tensor by_patch = local.view({batch * n, k, b});
  const Tensor of_point = third_->weight.narrow(1, 0, b), of_patch = third_->weight.narrow(1, b, b);
  const Tensor constant = of_point.mv(second_->bias) + third_->bias;
  // The part that is the same for all points of a patch, given the maximum of `local`.
  const auto shared = [&](const Tensor& largest) {
    return torch::addmm(constant, largest + second_->bias, of_patch.t());  // [B n, c]
  };
  if (batch_norm_) {  // Point-MAE: the last layer comes before the maximum
    const Tensor by_point = by_patch.matmul(of_point.t());
    const Tensor all = by_point + shared(max_over_points(by_patch)).unsqueeze(1);
    x = torch::relu(third_norm_(all.flatten(0, 1)));
    x = max_over_points(x.mm(last_->weight.t()).view({batch * n, k, -1})) + last_->bias;
  } else {  // ReLU and maximum commute
    const PatchMaxima largest = patch_maxima(by_patch, of_point);
    x = last_(torch::relu(largest.of_products + shared(largest.of_points)));
  }
  return x.view({batch, n, -1});
}

}  // namespace pointpng
