#pragma once

#include <cstdint>
#include <optional>

#include <torch/types.h>

/// Batches of rotations as unit quaternions (w, x, y, z) in the last dimension, w >= 0.
/// A quaternion acts on column vectors; `multiply(a, b)` rotates by b first, then by a.
namespace pointpng::rotation {

using torch::Tensor;

Tensor canonical(const Tensor& q);                  ///< unit length, w >= 0
Tensor multiply(const Tensor& a, const Tensor& b);  ///< a ∘ b; leading dimensions broadcast
Tensor inverse(const Tensor& q);
Tensor to_matrix(const Tensor& q);          ///< […, 4] → […, 3, 3]
Tensor from_matrix(const Tensor& matrix);   ///< […, 3, 3] → […, 4]
Tensor exp(const Tensor& rotation_vector);  ///< axis · angle, […, 3] → […, 4]
Tensor log(const Tensor& q);                ///< […, 4] → […, 3], at most π long

/// Geodesic angle between two rotations in radians, exact for small ones too (no arccos).
Tensor angle(const Tensor& a, const Tensor& b);

/// Rotates points […, N, 3] by rotations […, 4].
Tensor rotate(const Tensor& q, const Tensor& points);

/// Uniform over SO(3): normal samples, normalised, as in the paper.
Tensor uniform(torch::IntArrayRef shape, std::optional<torch::Generator> generator = std::nullopt,
               torch::Device device = torch::kCPU);

/// `count` rotations spread nearly evenly over SO(3), the same at every call (super-Fibonacci
/// spirals, Alexa 2022). Any count works; the covering radius falls as count^(-1/3).
Tensor grid(std::int64_t count, torch::Device device = torch::kCPU);

/// Uniform rotation axis, angle drawn log-uniformly from [smallest, largest] radians.
Tensor nearby(torch::IntArrayRef shape, double smallest, double largest,
              std::optional<torch::Generator> generator = std::nullopt,
              torch::Device device = torch::kCPU);

}  // namespace pointpng::rotation
