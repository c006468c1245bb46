#include "model/pointnet.h"

#include <string>

#include <torch/types.h>

#include "model/max_pool.h"

namespace pointpng {

PointNetImpl::PointNetImpl() {
  std::int64_t in = 3;
  for (const std::int64_t out :
       {std::int64_t{64}, std::int64_t{64}, std::int64_t{64}, std::int64_t{128}, kFeatures}) {
    const std::string number = std::to_string(layers_.size());
    layers_.emplace_back(register_module("layer_" + number, torch::nn::Linear(in, out)));
    norms_.emplace_back(register_module("norm_" + number, torch::nn::BatchNorm1d(out)));
    in = out;
  }
}

Tensor PointNetImpl::forward(const Tensor& clouds) {
  Tensor x = clouds.flatten(0, 1);
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = torch::relu(norms_[i](layers_[i](x)));
  x = norms_.back()(layers_.back()(x)).view({clouds.size(0), clouds.size(1), kFeatures});
  return torch::relu(max_over_points(x));  // ReLU and maximum commute
}

}  // namespace pointpng
