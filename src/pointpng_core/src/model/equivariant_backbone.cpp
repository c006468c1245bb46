#include "model/equivariant_backbone.h"

#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include <torch/library.h>
#include <torch/types.h>

#include "model/gelu.h"
#include "model/harmonics.h"
#include "model/operators.h"
#include "model/pool.h"
#include "model/unit.h"

namespace pointpng {
namespace {

constexpr std::int64_t kPlaceHidden = 64;
constexpr std::int64_t kRelationWidth = 16;

}  // namespace

/// A patch seen from its own centroid. A kernel computes everything that is ever asked of it at
/// once; without one it is computed when it is asked for.
struct EquivariantBackbone::Centred {
  Tensor centroid;                      // [B, n, 3]
  Tensor offset;                        // [B, n, 3], from the patch's centre to its centroid
  Tensor radius;                        // [B, n, 1], of the centroid
  Tensor direction;                     // [B, n, 3], of the centroid
  Tensor points;                        // [B, n, k, 3], relative to the centroid
  Tensor invariants, place, harmonics;  // from the kernel: see `ops::describe_patches`

  static Centred by_tensors(const Tensor& centres, const Tensor& points) {
    const Tensor offset = points.mean(2);
    const Tensor centroid = centres + offset;
    const Tensor radius = centroid.norm(2, -1, true).clamp_min(1e-4);
    return {centroid, offset, radius, centroid / radius, points - offset.unsqueeze(2), {}, {}, {}};
  }

  /// Three rotation-invariant numbers per point: distance to the patch's centroid, distance to
  /// the cloud's centre, component along the direction of the patch.
  Tensor to_invariants() const {
    if (invariants.defined()) return invariants;
    const Tensor to_centre = (points + centroid.unsqueeze(2)).norm(2, -1);
    const Tensor along = (points * direction.unsqueeze(2)).sum(-1);
    return torch::stack({6.0 * points.norm(2, -1), 2.0 * to_centre - 1.0, 6.0 * along}, -1);
  }

  Tensor to_place() const {
    if (place.defined()) return place;
    return torch::cat({2.0 * radius - 1.0, 8.0 * offset.norm(2, -1, true)}, -1);
  }

  /// Harmonics of the directions and, where asked for, moments after them: [B, n or 2n, (L+1)²].
  Tensor to_harmonics(std::int64_t degree, bool moments) const;
};

EquivariantBackbone::Centred EquivariantBackbone::centre(const Patches& patches) const {
  if (!patches.points.is_cuda() || !ops::has_kernels(patches.points))
    return Centred::by_tensors(patches.centres, patches.points);
  Centred seen;
  std::tie(seen.centroid, seen.invariants, seen.place, seen.harmonics) =
      ops::describe_patches(patches.centres, patches.points, degree(), moments_);
  return seen;
}

namespace {

/// M_l: mean of (r / ρ)² Y_l over the points of a patch seen from its centroid, ρ its mean square
/// radius: [B, n, (degree + 1)²]. Rotates with the patch; even degrees encode its orientation.
Tensor patch_moments(const Tensor& points, std::int64_t degree) {
  const Tensor squared = points.square().sum(-1, true);  // [B, n, k, 1]
  const Tensor direction = points * (squared + 1e-12).rsqrt();
  const Tensor weight = squared / (squared.mean(2, true) + 1e-12);
  return (weight * spherical_harmonics(direction, degree)).mean(2);
}

Tensor relations_by_tensors(const Tensor& centroid) {
  const Tensor inner = centroid.matmul(centroid.transpose(1, 2));
  const Tensor square = inner.diagonal(0, 1, 2);
  const Tensor distance =
      (square.unsqueeze(1) + square.unsqueeze(2) - 2.0 * inner).clamp_min(1e-12).sqrt();
  return torch::stack({distance, inner}, -1);
}

}  // namespace

Tensor EquivariantBackbone::Centred::to_harmonics(std::int64_t degree, bool moments) const {
  if (harmonics.defined()) return harmonics;
  const Tensor directions = spherical_harmonics(direction, degree);  // [B, n, (L+1)²]
  return moments ? torch::cat({directions, patch_moments(points, degree)}, 1) : directions;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> EquivariantBackbone::describe_on_cpu(
    const Tensor& centres, const Tensor& points, std::int64_t degree, bool moments) {
  const Centred seen = Centred::by_tensors(centres, points);
  return {seen.centroid, seen.to_invariants(), seen.to_place(), seen.to_harmonics(degree, moments)};
}

EquivariantBackbone::EquivariantBackbone(const ModelConfig& config)
    : channels_(config.channels),
      heads_(config.heads),
      width_(config.width),
      moments_(config.patch_moments),
      tokens_(register_module("tokens", PatchEncoder(config))),
      place_(register_module("place", Mlp(2, kPlaceHidden, config.width))),
      relation_(register_module("relation", torch::nn::Linear(2, kRelationWidth))),
      bias_(register_module(
          "bias",
          torch::nn::Linear(
              torch::nn::LinearOptions(kRelationWidth, config.depth * config.heads).bias(false)))),
      encoder_norm_(register_module(
          "encoder_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width})))) {
  for (std::int64_t i = 0; i < config.depth; ++i)
    encoder_.emplace_back(register_module("encoder_" + std::to_string(i),
                                          Block(config.width, config.heads, config.mlp_ratio)));
  const std::int64_t total = std::accumulate(channels_.begin(), channels_.end(), std::int64_t{0});
  direction_weights_ = register_module("head_directions", torch::nn::Linear(config.width, total));
  if (moments_)
    moment_weights_ = register_module("head_moments", torch::nn::Linear(config.width, total));
  if (config.predictor == "wigner") return;
  ModelConfig unmixed = config;
  unmixed.predictor = "wigner";
  mix_ = register_module(
      "head_mix",
      torch::nn::Linear(
          torch::nn::LinearOptions(embedding_length(unmixed), config.embedding).bias(false)));
}

/// Features of every pair of patches: distance and inner product of their centroids.
Tensor EquivariantBackbone::relations(const Centred& seen) {
  const bool by_kernel = seen.centroid.is_cuda() && ops::has_kernels(seen.centroid);
  return gelu_activation(linear(
      relation_, by_kernel ? ops::relations(seen.centroid) : relations_by_tensors(seen.centroid)));
}

Tensor EquivariantBackbone::encode(const Patches& patches, std::vector<Tensor>* layers) {
  return encode(centre(patches), layers);
}

Tensor EquivariantBackbone::encode(const Centred& seen, std::vector<Tensor>* layers) {
  const Tensor x = tokens_(seen.to_invariants()) + place_(seen.to_place());
  const auto bias = bias_(relations(seen))
                        .permute({0, 3, 1, 2})
                        .contiguous()
                        .chunk(static_cast<std::int64_t>(encoder_.size()), 1);
  return run_blocks(encoder_, x, bias, encoder_norm_, layers);
}

/// Weights of the encoded tokens times directions: z before the degrees are mixed, [B, d].
Tensor EquivariantBackbone::direct(const Tensor& tokens, const Centred& seen) {
  Tensor weights = linear(direction_weights_, tokens);  // [B, n, Σm]
  if (moments_) weights = torch::cat({weights, linear(moment_weights_, tokens)}, 1);
  return pool_by_degree(weights, seen.to_harmonics(degree(), moments_), channels_);
}

Tensor EquivariantBackbone::embed(const Patches& patches) {
  const Centred seen = centre(patches);
  Tensor z = direct(encode(seen, nullptr), seen);
  if (mix_) z = mix_(z);
  const bool by_kernel = z.is_cuda() && ops::has_kernels(z) && !torch::GradMode::is_enabled();
  return by_kernel ? ops::unit_rows(z) : unit(z);
}

Tensor EquivariantBackbone::features(const Patches& patches) {
  std::vector<Tensor> layers;
  const Centred seen = centre(patches);
  const Tensor x = encode(seen, &layers);
  const Tensor z = unit(direct(x, seen));
  layers.push_back(x);
  std::vector<Tensor> parts;
  for (const Tensor& tokens : layers) {
    parts.push_back(std::get<0>(tokens.max(1)));
    parts.push_back(tokens.mean(1));
  }
  std::int64_t first = 0;
  for (std::size_t l = 0; l < channels_.size(); ++l) {
    const std::int64_t count = channels_[l], size = 2 * static_cast<std::int64_t>(l) + 1;
    const Tensor channels = z.narrow(1, first, count * size).view({-1, count, size});
    first += count * size;
    if (l == 0) {
      parts.push_back(channels.flatten(1));
    } else {
      const Tensor pairs = torch::triu_indices(count, count, 0, z.device());
      const Tensor products = channels.bmm(channels.transpose(1, 2)).flatten(1);
      parts.push_back(products.index_select(1, pairs[0] * count + pairs[1]));
    }
  }
  return torch::cat(parts, 1);
}

std::int64_t EquivariantBackbone::feature_length() const {
  const auto layers = static_cast<std::int64_t>(encoder_.size()) + 1;
  std::int64_t length = 2 * layers * width_ + channels_[0];
  for (std::size_t l = 1; l < channels_.size(); ++l)
    length += channels_[l] * (channels_[l] + 1) / 2;
  return length;
}

Tensor EquivariantBackbone::place_tokens(const Patches& patches) {
  return place_(centre(patches).to_place());
}

Tensor EquivariantBackbone::place_bias(const Patches& patches) {
  return bias_(relations(centre(patches))).permute({0, 3, 1, 2}).narrow(1, 0, heads_);
}

Tensor EquivariantBackbone::reconstruction_target(const Patches& patches) {
  return centre(patches).to_invariants();
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  library.impl("describe_patches", pointpng::EquivariantBackbone::describe_on_cpu);
  library.impl("relations", pointpng::relations_by_tensors);
  library.impl("unit_rows", pointpng::unit);
}
