#pragma once

#include <cstdint>
#include <tuple>

#include <torch/types.h>

/// The operations that have kernels of our own, as LibTorch operators (`pointpng::…`): its
/// dispatcher chooses between the CPU's loops and src/cuda's kernels. One operator is one launch,
/// and none has a gradient of its own: the functions that use them do.
namespace pointpng::ops {

using torch::Tensor;

/// Whether a device has them: the CPU does, CUDA where the kernels were built.
bool has_kernels(torch::Device device);

/// The same for a tensor, which must be of 32-bit floats.
bool has_kernels(const Tensor& x);

/// See `Sampler` and model/sampling.h.
Tensor farthest_from_centroid(const Tensor& points);
Tensor farthest_points(const Tensor& points, std::int64_t count, const Tensor& start);
Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k);
/// Points [B, n, 3] at indices [B, q, k] relative to the centres [B, q, 3] → [B, q, k, 3].
Tensor group(const Tensor& points, const Tensor& centres, const Tensor& neighbours);

/// Real spherical harmonics of unit vectors […, 3] → […, (degree + 1)²].
Tensor harmonics(const Tensor& directions, std::int64_t degree);

/// Real Wigner matrices of rotations […, 4] → […, Σ (2l+1)²], from probe directions [P, 3] and the
/// matrices [(L+1)², P] that read the coefficients off the harmonics there.
Tensor wigner(const Tensor& rotations, const Tensor& directions, const Tensor& inverse);

/// What the equivariant backbone sees of patches: centroids [B, n, 3], invariants [B, n, k, 3],
/// place [B, n, 2], harmonics of the directions and, where asked for, moments [B, n or 2n, (L+1)²].
std::tuple<Tensor, Tensor, Tensor, Tensor> describe_patches(const Tensor& centres,
                                                            const Tensor& points,
                                                            std::int64_t degree, bool moments);
/// Distance and inner product of every pair of centroids, [B, n, 3] → [B, n, n, 2].
Tensor relations(const Tensor& centroids);

/// Maxima over the points of patches [P, k, c] → [P, c], and which point has each.
std::tuple<Tensor, Tensor> max_over_points(const Tensor& x);
Tensor max_backward(const Tensor& gradient, const Tensor& which, std::int64_t k);

/// See model/attention.h: its output and the probabilities [B, heads, n, n]. No bias is a tensor
/// without elements.
std::tuple<Tensor, Tensor> attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads);
/// The gradients of qkv and, if asked for, of the bias.
std::tuple<Tensor, Tensor> attention_backward(const Tensor& gradient, const Tensor& qkv,
                                              const Tensor& probabilities, std::int64_t heads,
                                              bool of_bias);

/// See model/pool.h.
Tensor pool(const Tensor& weights, const Tensor& harmonics, torch::IntArrayRef channels);
Tensor pool_backward(const Tensor& gradient, const Tensor& harmonics, torch::IntArrayRef channels);

/// x + added, and its layer normalisation.
std::tuple<Tensor, Tensor> add_norm(const Tensor& x, const Tensor& added, const Tensor& scale,
                                    const Tensor& shift, double epsilon);
/// Rows scaled to length 1.
Tensor unit_rows(const Tensor& x);

/// cuda::QuickScore. `arrays`: points, fine and coarse field of the source, of the target; samples
/// of both, poses [P, 12]; all of 32-bit items. `grids`: origin, cells per unit and size of the
/// four fields.
Tensor quick_scores(torch::TensorList arrays, torch::ArrayRef<double> grids,
                    double inlier_distance);

}  // namespace pointpng::ops
