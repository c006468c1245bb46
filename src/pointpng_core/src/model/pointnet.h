#pragma once

#include <cstdint>

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

namespace pointpng {

using torch::Tensor;

/// The baseline of classification: PointNet (Qi et al. 2017) without its joint alignment networks,
/// which triple the cost of a step. Per-point layers 64, 64, 64, 128, 1024, each with batch
/// normalisation, then the maximum over the points.
class PointNetImpl : public torch::nn::Module {
 public:
  static constexpr std::int64_t kFeatures = 1024;

  PointNetImpl();
  /// [B, N, 3] → [B, kFeatures].
  Tensor forward(const Tensor& clouds);

 private:
  std::vector<torch::nn::Linear> layers_;
  std::vector<torch::nn::BatchNorm1d> norms_;
};
TORCH_MODULE(PointNet);

}  // namespace pointpng
