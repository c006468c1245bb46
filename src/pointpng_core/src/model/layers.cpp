#include "model/layers.h"

#include <tuple>

#include <torch/library.h>
#include <torch/types.h>

#include "model/attention.h"
#include "model/gelu.h"
#include "model/max_pool.h"
#include "model/operators.h"

namespace pointpng {

Tensor linear(torch::nn::Linear& layer, const Tensor& x) {
  if (!x.is_cuda() || !layer->bias.defined()) return layer(x);
  auto shape = x.sizes().vec();
  shape.back() = layer->weight.size(0);
  return torch::addmm(layer->bias, x.reshape({-1, x.size(-1)}), layer->weight.t()).view(shape);
}

MlpImpl::MlpImpl(std::int64_t in, std::int64_t hidden, std::int64_t out)
    : expand_(register_module("expand", torch::nn::Linear(in, hidden))),
      contract_(register_module("contract", torch::nn::Linear(hidden, out))) {}

Tensor MlpImpl::forward(const Tensor& x) {
  return linear(contract_, gelu_activation(linear(expand_, x)));
}

BlockImpl::BlockImpl(std::int64_t width, std::int64_t heads, std::int64_t mlp_ratio)
    : heads_(heads),
      attention_norm_(register_module("attention_norm",
                                      torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
      mlp_norm_(
          register_module("mlp_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
      qkv_(register_module("qkv", torch::nn::Linear(width, 3 * width))),
      out_(register_module("out", torch::nn::Linear(width, width))),
      mlp_(register_module("mlp", Mlp(width, mlp_ratio * width, width))) {}

Tensor BlockImpl::attend(const Tensor& normalised, const Tensor& bias) {
  return linear(out_, attention(linear(qkv_, normalised), bias, heads_));
}

Tensor BlockImpl::forward(const Tensor& x, const Tensor& bias) {
  const Tensor attended = x + attend(attention_norm_(x), bias);
  return attended + transform(mlp_norm_(attended));
}

namespace {

/// x + added, and its normalisation.
std::tuple<Tensor, Tensor> add_norm(const Tensor& x, const Tensor& added,
                                    torch::nn::LayerNorm norm) {
  if (x.is_cuda() && ops::has_kernels(x) && !torch::GradMode::is_enabled())
    return ops::add_norm(x, added, norm->weight, norm->bias, norm->options.eps());
  const Tensor sum = x + added;
  return {sum, norm(sum)};
}

std::tuple<Tensor, Tensor> add_norm_on_cpu(const Tensor& x, const Tensor& added,
                                           const Tensor& scale, const Tensor& shift,
                                           double epsilon) {
  const Tensor sum = x + added;
  return {sum, torch::layer_norm(sum, {sum.size(-1)}, scale, shift, epsilon)};
}

}  // namespace

Tensor run_blocks(std::vector<Block>& blocks, Tensor x, const std::vector<Tensor>& bias,
                  const torch::nn::LayerNorm& last, std::vector<Tensor>* layers) {
  const auto norm_of = [&](std::size_t i) {
    return i < blocks.size() ? blocks[i]->attention_norm() : last;
  };
  Tensor normalised = norm_of(0)(x);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    std::tie(x, normalised) = add_norm(x, block->attend(normalised, bias[i]), block->mlp_norm());
    std::tie(x, normalised) = add_norm(x, block->transform(normalised), norm_of(i + 1));
    if (layers != nullptr) layers->push_back(x);
  }
  return normalised;
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
  first_norm_ = register_module("first_norm", torch::nn::BatchNorm1d(a));
  third_norm_ = register_module("third_norm", torch::nn::BatchNorm1d(c));
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

TORCH_LIBRARY_IMPL(pointpng, CPU, library) { library.impl("add_norm", pointpng::add_norm_on_cpu); }
