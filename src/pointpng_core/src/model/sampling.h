#pragma once

#include <cstdint>

#include <torch/types.h>

namespace pointpng {

using torch::Tensor;

/// The sampling operators on batches of clouds [B, N, 3], behind one interface for every device.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Indices [B, count] of points chosen one after the other, each the farthest from those before;
  /// the first is `start` [B]. Ties go to the smaller index. Needs count <= N.
  virtual Tensor farthest_points(const Tensor& points, std::int64_t count,
                                 const Tensor& start) const = 0;

  /// Indices [B, Q, k] of the k points nearest to each query [B, Q, 3], nearest first; ties go to
  /// the smaller index. Needs k <= N.
  virtual Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k) const = 0;
};

/// The fastest operators for a device: our own kernels on the CPU and, where they were built, on
/// CUDA, with the same indices on both; tensor operations elsewhere.
const Sampler& sampler_for(torch::Device device);

/// Plain LibTorch operations: they run on any device and are the reference for the CPU kernels.
const Sampler& tensor_sampler();

/// Points [B, N, 3] at indices [B, Q, k] relative to the centres [B, Q, 3].
Tensor group(const Tensor& points, const Tensor& centres, const Tensor& neighbours);

/// The point farthest from the centroid [B]: a start for `farthest_points` that is the same
/// however the cloud is rotated.
Tensor farthest_from_centroid(const Tensor& points);

/// Rows of points [B, N, C] at indices [B, …] → [B, …, C].
Tensor gather_rows(const Tensor& points, const Tensor& indices);

}  // namespace pointpng
