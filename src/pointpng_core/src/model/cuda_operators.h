#pragma once

#include <tuple>

#include <torch/types.h>

/// `ops` by src/cuda's kernels, one launch each. Tensors may be anywhere where `launch` can reach
/// them: on a GPU, or in the tests on the host.
namespace pointpng::cuda {

using torch::Tensor;

/// The stream to launch on, as a `cudaStream_t`.
void* current_stream(torch::Device device);

Tensor farthest_from_centroid(const Tensor& points);
Tensor farthest_points(const Tensor& points, std::int64_t count, const Tensor& start);
Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k);
Tensor group(const Tensor& points, const Tensor& centres, const Tensor& neighbours);
Tensor harmonics(const Tensor& directions, std::int64_t degree);
Tensor wigner(const Tensor& rotations, const Tensor& directions, const Tensor& inverse);
std::tuple<Tensor, Tensor, Tensor, Tensor> describe_patches(const Tensor& centres,
                                                            const Tensor& points,
                                                            std::int64_t degree, bool moments);
Tensor relations(const Tensor& centroids);
std::tuple<Tensor, Tensor> max_over_points(const Tensor& x);
Tensor max_backward(const Tensor& gradient, const Tensor& which, std::int64_t k);
std::tuple<Tensor, Tensor> attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads);
std::tuple<Tensor, Tensor> attention_backward(const Tensor& gradient, const Tensor& qkv,
                                              const Tensor& probabilities, std::int64_t heads,
                                              bool of_bias);
Tensor pool(const Tensor& weights, const Tensor& harmonics, torch::IntArrayRef channels);
Tensor pool_backward(const Tensor& gradient, const Tensor& harmonics, torch::IntArrayRef channels);
std::tuple<Tensor, Tensor> add_norm(const Tensor& x, const Tensor& added, const Tensor& scale,
                                    const Tensor& shift, double epsilon);
Tensor unit_rows(const Tensor& x);
Tensor quick_scores(torch::TensorList arrays, torch::ArrayRef<double> grids,
                    double inlier_distance);

}  // namespace pointpng::cuda
