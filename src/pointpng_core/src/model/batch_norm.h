#pragma once

#include <cstdint>
#include <functional>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace pointpng {

using torch::Tensor;

/// Batch normalisation of rows [N, C], with the names and numbers of `torch::nn::BatchNorm1d`, that
/// can use the mean and variance of the rows of several processes, each with N rows. (LibTorch's
/// class can't be derived from: part of it is not exported.)
class BatchNormImpl : public torch::nn::Module {
 public:
  /// Rows of all processes, one process after the other, with gradients.
  using Gather = std::function<Tensor(const Tensor& rows)>;

  explicit BatchNormImpl(std::int64_t channels);

  Tensor forward(const Tensor& x);
  void share_statistics(const Gather& gather) { gather_ = gather; }

  Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  Gather gather_;  // empty: this process alone
};
TORCH_MODULE(BatchNorm);

/// The same for every `BatchNorm` in a module.
void share_statistics(torch::nn::Module& module, const BatchNormImpl::Gather& gather);

}  // namespace pointpng
