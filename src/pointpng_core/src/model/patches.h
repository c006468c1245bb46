#pragma once

#include <cstdint>
#include <optional>

#include <torch/types.h>

#include "pointpng/model.h"

namespace pointpng {

using torch::Tensor;

/// A batch of clouds cut into overlapping patches.
struct Patches {
  Tensor centres;  ///< [B, n, 3]
  Tensor points;   ///< [B, n, k, 3], relative to their centre

  std::int64_t batch() const { return centres.size(0); }
  std::int64_t count() const { return centres.size(1); }

  /// Only the patches at indices [B, v] of each cloud.
  Patches select(const Tensor& indices) const;
  /// The patches of the rotated clouds, q [B, 4].
  Patches rotated(const Tensor& q) const;
  Patches to(torch::Device device) const;
};

/// Farthest point sampling and nearest neighbours of clouds [B, N, 3]; the first centre is the
/// point farthest from the centroid, so the choice rotates with the cloud, or `start` [B].
Patches cut_patches(const Tensor& clouds, const ModelConfig& config,
                    const std::optional<Tensor>& start = std::nullopt);

/// A random choice of `kept` out of `count` patches for each of `batch` clouds, independent of each
/// other: [batch, kept] and the rest [batch, count - kept].
struct Mask {
  Tensor visible;
  Tensor hidden;
};
Mask random_mask(std::int64_t batch, std::int64_t count, double ratio,
                 std::optional<torch::Generator> generator, torch::Device device);

}  // namespace pointpng
