#include "model/equivariant_backbone.h"

#include <cmath>
#include <numeric>
#include <string>

#include <torch/types.h>

#include "model/gelu.h"
#include "model/harmonics.h"
#include "model/pool.h"
#include "model/unit.h"

namespace pointpng {
namespace {

constexpr std::int64_t kPlaceHidden = 64;
constexpr std::int64_t kRelationWidth = 16;

}  // namespace

/// A patch seen from its own centroid.
struct EquivariantBackbone::Centred {
  Tensor offset;     // [B, n, 3], from the patch's centre to its centroid
  Tensor centroid;   // [B, n, 3]
  Tensor radius;     // [B, n, 1], of the centroid
  Tensor direction;  // [B, n, 3], of the centroid
  Tensor points;     // [B, n, k, 3], relative to the centroid
};

EquivariantBackbone::Centred EquivariantBackbone::centre(const Patches& patches) {
  const Tensor offset = patches.points.mean(2);
  const Tensor centroid = patches.centres + offset;
  const Tensor radius = centroid.norm(2, -1, true).clamp_min(1e-4);
  return {offset, centroid, radius, centroid / radius, patches.points - offset.unsqueeze(2)};
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

}  // namespace

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
  const Tensor inner = seen.centroid.matmul(seen.centroid.transpose(1, 2));
  const Tensor square = inner.diagonal(0, 1, 2);
  const Tensor distance =
      (square.unsqueeze(1) + square.unsqueeze(2) - 2.0 * inner).clamp_min(1e-12).sqrt();
  return gelu_activation(relation_(torch::stack({distance, inner}, -1)));
}

Tensor EquivariantBackbone::encode(const Patches& patches, std::vector<Tensor>* layers) {
  return encode(centre(patches), layers);
}

Tensor EquivariantBackbone::encode(const Centred& seen, std::vector<Tensor>* layers) {
  Tensor x = tokens_(invariants(seen)) + place(seen);
  const auto bias = bias_(relations(seen))
                        .permute({0, 3, 1, 2})
                        .contiguous()
                        .chunk(static_cast<std::int64_t>(encoder_.size()), 1);
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    x = encoder_[i](x, bias[i]);
    if (layers != nullptr) layers->push_back(x);
  }
  return encoder_norm_(x);
}

/// Weights of the encoded tokens times directions: z before the degrees are mixed, [B, d].
Tensor EquivariantBackbone::direct(const Tensor& tokens, const Centred& seen) {
  const auto degree = static_cast<std::int64_t>(channels_.size()) - 1;
  Tensor directions = spherical_harmonics(seen.direction, degree);  // [B, n, (L+1)²]
  Tensor weights = direction_weights_(tokens);                      // [B, n, Σm]
  if (moments_) {
    directions = torch::cat({directions, patch_moments(seen.points, degree)}, 1);
    weights = torch::cat({weights, moment_weights_(tokens)}, 1);
  }
  return pool_by_degree(weights, directions, channels_);
}

Tensor EquivariantBackbone::embed(const Patches& patches) {
  const Centred seen = centre(patches);
  Tensor z = direct(encode(seen, nullptr), seen);
  if (mix_) z = mix_(z);
  return unit(z);
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

Tensor EquivariantBackbone::place(const Centred& seen) {
  return place_(torch::cat({2.0 * seen.radius - 1.0, 8.0 * seen.offset.norm(2, -1, true)}, -1));
}

/// Three rotation-invariant numbers per point: distance to the patch's centroid, distance to
/// the cloud's centre, component along the direction of the patch.
Tensor EquivariantBackbone::invariants(const Centred& seen) {
  const Tensor to_centre = (seen.points + seen.centroid.unsqueeze(2)).norm(2, -1);
  const Tensor along = (seen.points * seen.direction.unsqueeze(2)).sum(-1);
  return torch::stack({6.0 * seen.points.norm(2, -1), 2.0 * to_centre - 1.0, 6.0 * along}, -1);
}

Tensor EquivariantBackbone::place_tokens(const Patches& patches) { return place(centre(patches)); }

Tensor EquivariantBackbone::place_bias(const Patches& patches) {
  return bias_(relations(centre(patches))).permute({0, 3, 1, 2}).narrow(1, 0, heads_);
}

Tensor EquivariantBackbone::reconstruction_target(const Patches& patches) {
  return invariants(centre(patches));
}

}  // namespace pointpng
