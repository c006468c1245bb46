#include "pointpng/model/attention.h"

#include <cmath>

#include <torch/types.h>

namespace pointpng {

using torch::Tensor;

Tensor attention_by_tensors(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  const auto parts =
      qkv.view({batch, n, 3, heads, width / heads}).permute({2, 0, 3, 1, 4}).unbind(0);
  const double scale = 1.0 / std::sqrt(static_cast<double>(width / heads));
  Tensor logits = (parts[0] * scale).matmul(parts[1].transpose(-1, -2));
  if (bias.defined()) logits = logits + bias;
  return logits.softmax(-1).matmul(parts[2]).transpose(1, 2).reshape({batch, n, width});
}

Tensor attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  return attention_by_tensors(qkv, bias, heads);
}

}  // namespace pointpng
