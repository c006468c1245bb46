#include "pointpng/train/losses.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <torch/types.h>

#include "pointpng/cloud/rotation.h"

namespace pointpng {
namespace {

constexpr double kRadians = std::numbers::pi / 180.0;

/// ⟨u_g(z), u_r(z)⟩ for random rotations r, the same for the whole batch, and for some near g.
Tensor negative_similarity(Predictor& predictor, const Tensor& z, const Tensor& anchor,
                           const Tensor& g, const LossConfig& config, torch::Generator generator) {
  std::vector<Tensor> parts;
  if (config.pseudo_negatives > 0) {
    const Tensor r = rotation::uniform({config.pseudo_negatives}, generator, z.device());
    parts.push_back(predictor.similarity(r, z, anchor));
  }
  if (config.near_negatives > 0) {
    const Tensor step =
        rotation::nearby({g.size(0), config.near_negatives}, config.near_smallest_deg * kRadians,
                         config.near_largest_deg * kRadians, generator, z.device());
    parts.push_back(predictor.similarity(
        rotation::canonical(rotation::multiply(step, g.unsqueeze(1))), z, anchor));
  }
  return torch::cat(parts, 1);
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

PointPngLoss point_png_loss(Predictor& predictor, const Tensor& z, const Tensor& z_plus,
                            const Tensor& g, const LossConfig& config, torch::Generator generator) {
  const Tensor anchor = predictor.apply(g, z);
  const Tensor positive = (anchor * z_plus).sum(-1);
  const Tensor negative = negative_similarity(predictor, z, anchor, g, config, generator);
  const Tensor objects = torch::arange(z.size(0), z.options().dtype(torch::kInt64)).repeat({2});

  PointPngLoss loss;
  loss.align = align_loss(positive);
  loss.cope = cope_loss(positive, negative, config.temperature);
  loss.uniformity = uniformity_loss(torch::cat({z, z_plus}), objects, config.temperature);
  loss.total = loss.align + config.beta * loss.cope;
  if (config.uniformity) loss.total = loss.total + (1.0 - config.beta) * loss.uniformity;
  loss.pa = positive.detach().mean();
  loss.ae = loss.pa - (z.detach() * z_plus.detach()).sum(-1).mean();
  return loss;
}

}  // namespace pointpng
