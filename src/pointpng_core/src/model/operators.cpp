#include "model/operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

namespace pointpng::ops {
namespace {

template <class Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

}  // namespace

bool has_kernels(torch::Device device) {
  if (!device.is_cuda()) return device.is_cpu();
  static const bool built = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("pointpng::farthest_points", "")
                                .hasKernelForDispatchKey(c10::DispatchKey::CUDA);
  return built;
}

bool has_kernels(const Tensor& x) {
  return x.scalar_type() == torch::kFloat32 && has_kernels(x.device());
}

// Every function looks its operator up once and calls it.
#define POINTPNG_CALL(name, ...)                                           \
  static const auto found = find<decltype(ops::name)>("pointpng::" #name); \
  return found.call(__VA_ARGS__)

Tensor farthest_from_centroid(const Tensor& points) {
  POINTPNG_CALL(farthest_from_centroid, points);
}

Tensor farthest_points(const Tensor& points, std::int64_t count, const Tensor& start) {
  POINTPNG_CALL(farthest_points, points, count, start);
}

Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k) {
  POINTPNG_CALL(nearest, points, queries, k);
}

Tensor group(const Tensor& points, const Tensor& centres, const Tensor& neighbours) {
  POINTPNG_CALL(group, points, centres, neighbours);
}

Tensor harmonics(const Tensor& directions, std::int64_t degree) {
  POINTPNG_CALL(harmonics, directions, degree);
}

Tensor wigner(const Tensor& rotations, const Tensor& directions, const Tensor& inverse) {
  POINTPNG_CALL(wigner, rotations, directions, inverse);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> describe_patches(const Tensor& centres,
                                                            const Tensor& points,
                                                            std::int64_t degree, bool moments) {
  POINTPNG_CALL(describe_patches, centres, points, degree, moments);
}

Tensor relations(const Tensor& centroids) { POINTPNG_CALL(relations, centroids); }

std::tuple<Tensor, Tensor> max_over_points(const Tensor& x) { POINTPNG_CALL(max_over_points, x); }

Tensor max_backward(const Tensor& gradient, const Tensor& which, std::int64_t k) {
  POINTPNG_CALL(max_backward, gradient, which, k);
}

std::tuple<Tensor, Tensor> attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  POINTPNG_CALL(attention, qkv, bias, heads);
}

std::tuple<Tensor, Tensor> attention_backward(const Tensor& gradient, const Tensor& qkv,
                                              const Tensor& probabilities, std::int64_t heads,
                                              bool of_bias) {
  POINTPNG_CALL(attention_backward, gradient, qkv, probabilities, heads, of_bias);
}

Tensor pool(const Tensor& weights, const Tensor& harmonics, torch::IntArrayRef channels) {
  POINTPNG_CALL(pool, weights, harmonics, channels);
}

Tensor pool_backward(const Tensor& gradient, const Tensor& harmonics, torch::IntArrayRef channels) {
  POINTPNG_CALL(pool_backward, gradient, harmonics, channels);
}

std::tuple<Tensor, Tensor> add_norm(const Tensor& x, const Tensor& added, const Tensor& scale,
                                    const Tensor& shift, double epsilon) {
  POINTPNG_CALL(add_norm, x, added, scale, shift, epsilon);
}

Tensor unit_rows(const Tensor& x) { POINTPNG_CALL(unit_rows, x); }

Tensor quick_scores(torch::TensorList arrays, torch::ArrayRef<double> grids,
                    double inlier_distance) {
  POINTPNG_CALL(quick_scores, arrays, grids, inlier_distance);
}

}  // namespace pointpng::ops

TORCH_LIBRARY(pointpng, library) {
  library.def("farthest_from_centroid(Tensor points) -> Tensor");
  library.def("farthest_points(Tensor points, int count, Tensor start) -> Tensor");
  library.def("nearest(Tensor points, Tensor queries, int k) -> Tensor");
  library.def("group(Tensor points, Tensor centres, Tensor neighbours) -> Tensor");
  library.def("harmonics(Tensor directions, int degree) -> Tensor");
  library.def("wigner(Tensor rotations, Tensor directions, Tensor inverse) -> Tensor");
  library.def(
      "describe_patches(Tensor centres, Tensor points, int degree, bool moments) -> (Tensor, "
      "Tensor, Tensor, Tensor)");
  library.def("relations(Tensor centroids) -> Tensor");
  library.def("max_over_points(Tensor x) -> (Tensor, Tensor)");
  library.def("max_backward(Tensor gradient, Tensor which, int k) -> Tensor");
  library.def("attention(Tensor qkv, Tensor bias, int heads) -> (Tensor, Tensor)");
  library.def(
      "attention_backward(Tensor gradient, Tensor qkv, Tensor probabilities, int heads, bool "
      "of_bias) -> (Tensor, Tensor)");
  library.def("pool(Tensor weights, Tensor harmonics, int[] channels) -> Tensor");
  library.def("pool_backward(Tensor gradient, Tensor harmonics, int[] channels) -> Tensor");
  library.def(
      "add_norm(Tensor x, Tensor added, Tensor scale, Tensor shift, float epsilon) -> (Tensor, "
      "Tensor)");
  library.def("unit_rows(Tensor x) -> Tensor");
  library.def("quick_scores(Tensor[] arrays, float[] grids, float inlier_distance) -> Tensor");
}
