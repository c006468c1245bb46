#include "train/losses.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "base/geometry.h"
#include "model/rotation.h"

namespace pointpng {
namespace {

/// ⟨u_g(z), u_r(z)⟩ for random rotations r, the same for the whole batch, and for some near g.
Tensor negative_similarity(Predictor& predictor, const Tensor& z, const Tensor& anchor,
                           const Tensor& g, const LossConfig& config, torch::Generator generator) {
  std::vector<Tensor> parts;
  if (config.pseudo_negatives > 0) {
    const Tensor r = rotation::uniform({config.pseudo_negatives}, generator, z.device());
    parts.push_back(predictor.similarity(r, z, anchor));
  }
  if (config.near_negatives > 0) {
    const Tensor step = rotation::nearby(
        {g.size(0), config.near_negatives}, config.near_smallest_deg * kRadiansPerDegree,
        config.near_largest_deg * kRadiansPerDegree, generator, z.device());
    parts.push_back(predictor.similarity(
        rotation::canonical(rotation::multiply(step, g.unsqueeze(1))), z, anchor));
  }
  return torch::cat(parts, 1);
}

/// Shape index of each row of two concatenated views.
Tensor pair_numbers(const Tensor& z) {
  return torch::arange(z.size(0), z.options().dtype(torch::kInt64)).repeat({2});
}

/// V(Z): hinge on the standard deviation of each element of Z, which should reach 1.
Tensor variance_hinge(const Tensor& z) {
  constexpr double kSmallest = 1e-4;  // the square root has no gradient at 0
  return torch::relu(1.0 - (z.var(0, /*unbiased=*/z.size(0) > 1) + kSmallest).sqrt()).mean();
}

/// C(Z): squared covariances between different elements of Z, per element.
Tensor covariance_penalty(const Tensor& z) {
  const Tensor centred = z - z.mean(0, true);
  const Tensor covariance =
      centred.t().matmul(centred) / static_cast<double>(std::max<std::int64_t>(1, z.size(0) - 1));
  return (covariance.square().sum() - covariance.diagonal().square().sum()) /
         static_cast<double>(z.size(1));
}

}  // namespace

Tensor align_loss(const Tensor& positive_similarity) {
  return (2.0 - 2.0 * positive_similarity).mean();
}

Tensor cope_loss(const Tensor& positive_similarity, const Tensor& negative_similarity,
                 double temperature) {
  const Tensor all = torch::cat({negative_similarity, positive_similarity.unsqueeze(1)}, 1);
  return torch::logsumexp((2.0 * all - 2.0) / temperature, 1).mean();
}

Tensor uniformity_loss(const Tensor& z, const Tensor& objects, double temperature) {
  const Tensor same = objects.unsqueeze(0) == objects.unsqueeze(1);
  const Tensor exponent = (2.0 * z.matmul(z.t()) - 2.0) / temperature;
  const Tensor pairs = same.logical_not().sum().to(z.scalar_type());
  const Tensor mean =
      torch::logsumexp(exponent.masked_fill(same, -1e30).flatten(), 0) - pairs.clamp_min(1).log();
  return torch::where(pairs > 0, mean, torch::zeros_like(mean));  // one object alone: no pairs
}

Tensor contrastive_loss(const Tensor& first, const Tensor& second, double temperature) {
  return align_loss((first * second).sum(-1)) +
         uniformity_loss(torch::cat({first, second}), pair_numbers(first), temperature);
}

SieLoss sie_loss(const Tensor& predicted, const Tensor& z, const Tensor& z_plus,
                 std::int64_t invariant, const LossConfig& config) {
  const double scale = std::sqrt(static_cast<double>(z.size(1)));
  const std::int64_t turned = z.size(1) - invariant;
  const Tensor wanted = scale * z_plus, from = scale * z;
  const Tensor guessed = (scale * predicted).narrow(1, invariant, turned);
  SieLoss loss;
  loss.invariance = torch::zeros({}, z.options());
  if (invariant > 0) loss.invariance = (from - wanted).narrow(1, 0, invariant).square().mean();
  loss.equivariance = (guessed - wanted.narrow(1, invariant, turned)).square().mean();
  loss.regularisation =
      config.sie_variance * (variance_hinge(from) + variance_hinge(wanted)) +
      config.sie_covariance * (covariance_penalty(from) + covariance_penalty(wanted));
  loss.stability = config.sie_variance * variance_hinge(guessed);
  loss.total = config.sie_invariance * loss.invariance +
               config.sie_equivariance * loss.equivariance + loss.regularisation + loss.stability;
  return loss;
}

PointPngLoss point_png_loss(Predictor& predictor, const Tensor& z, const Tensor& z_plus,
                            const Tensor& g, const LossConfig& config, torch::Generator generator) {
  const Tensor anchor = predictor.apply(g, z);
  const Tensor positive = (anchor * z_plus).sum(-1);
  const Tensor negative =
      negative_similarity(predictor, z, anchor, g, config, std::move(generator));
  PointPngLoss loss;
  loss.align = align_loss(positive);
  loss.cope = cope_loss(positive, negative, config.temperature);
  loss.uniformity = uniformity_loss(torch::cat({z, z_plus}), pair_numbers(z), config.temperature);
  loss.total = loss.align + config.beta * loss.cope;
  if (config.uniformity) loss.total = loss.total + (1.0 - config.beta) * loss.uniformity;
  loss.pa = positive.detach().mean();
  loss.ae = loss.pa - (z.detach() * z_plus.detach()).sum(-1).mean();
  return loss;
}

}  // namespace pointpng
