#pragma once

#include <functional>
#include <limits>

#include <torch/types.h>

#include "base/random.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// The largest absolute difference; infinite where the shapes differ, NaN where there is one.
inline double difference(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  if (a.numel() == 0) return 0.0;
  return (a.detach().to(torch::kFloat64) - b.detach().to(torch::kFloat64))
      .abs()
      .max()
      .item<double>();
}

/// The gradient of a scalar function by central differences; x is double.
inline torch::Tensor numeric_gradient(
    const std::function<torch::Tensor(const torch::Tensor&)>& function, const torch::Tensor& x,
    double step = 1e-6) {
  const torch::NoGradGuard no_grad;
  torch::Tensor gradient = torch::empty_like(x).view(-1);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const auto shifted = [&](double by) {
      torch::Tensor moved = x.detach().clone();
      moved.view(-1)[i] += by;
      return function(moved).item<double>();
    };
    gradient[i] = (shifted(step) - shifted(-step)) / (2.0 * step);
  }
  return gradient.view(x.sizes());
}

/// The gradient of the same function by LibTorch.
inline torch::Tensor exact_gradient(
    const std::function<torch::Tensor(const torch::Tensor&)>& function, const torch::Tensor& x) {
  const torch::Tensor variable = x.detach().clone().requires_grad_(true);
  function(variable).backward();
  return variable.grad();
}

/// A lopsided cloud: an ellipsoid's surface with a bump, so that no two axes are alike.
inline Cloud random_cloud(std::int64_t count, std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(count, 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    const Eigen::Vector3f v = random.direction();
    const float bump = 1.0F + 0.4F * std::max(0.0F, v.dot(Eigen::Vector3f(0.6F, 0.0F, 0.8F)));
    cloud.row(i) = bump * Eigen::RowVector3f(v.x(), 0.7F * v.y(), 0.4F * v.z());
  }
  return cloud;
}

/// A copy of a cloud as [N, 3].
inline torch::Tensor as_tensor(const Cloud& cloud) {
  return torch::from_blob(const_cast<float*>(cloud.data()), {cloud.rows(), 3}, torch::kFloat32)
      .clone();
}

}  // namespace pointpng
