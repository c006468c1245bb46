#include "model/cuda_operators.h"

#include <string>

#include <c10/core/DeviceGuard.h>
#include <torch/types.h>

#include "cuda/launch.h"
#include "model/quick_score_arguments.h"
#include "pointpng/error.h"

namespace pointpng::cuda {
namespace {

/// Launches on the device that `on` is on.
template <class Kernel>
void run(const Tensor& on, const typename Kernel::Arguments& with, std::int64_t blocks) {
  const c10::DeviceGuard guard(on.device());
  const char* problem = launch<Kernel>(with, blocks, current_stream(on.device()));
  if (problem != nullptr)
    throw Error(std::string("the GPU can't run a kernel: ") + problem + "; use device cpu");
}

/// The same, one thread per number.
template <class Kernel>
void run_numbers(const Tensor& on, const typename Kernel::Arguments& with) {
  run<Kernel>(on, with, blocks_for<Kernel>(with.total));
}

const float* floats(const Tensor& x) { return x.data_ptr<float>(); }
float* writable(Tensor& x) { return x.data_ptr<float>(); }

Channels as_channels(torch::IntArrayRef counts) {
  TORCH_CHECK(counts.size() <= Channels::kMostDegrees, "pooling goes up to degree ",
              Channels::kMostDegrees - 1);
  Channels channels;
  channels.degrees = static_cast<int>(counts.size());
  for (std::size_t l = 0; l < counts.size(); ++l) channels.count[l] = static_cast<int>(counts[l]);
  return channels;
}

}  // namespace

Tensor farthest_from_centroid(const Tensor& given) {
  const Tensor points = given.contiguous();
  Tensor farthest = torch::empty({points.size(0)}, points.options().dtype(torch::kInt64));
  run<FarthestFromCentroid>(
      points, {floats(points), points.size(1), farthest.data_ptr<std::int64_t>()}, points.size(0));
  return farthest;
}

Tensor farthest_points(const Tensor& given, std::int64_t count, const Tensor& start) {
  const Tensor points = given.contiguous(), first = start.contiguous();
  Tensor distance = torch::empty({points.size(0), points.size(1)}, points.options());
  Tensor chosen = torch::empty({points.size(0), count}, points.options().dtype(torch::kInt64));
  run<FarthestPoints>(points,
                      {floats(points), points.size(1), first.data_ptr<std::int64_t>(), count,
                       writable(distance), chosen.data_ptr<std::int64_t>()},
                      points.size(0));
  return chosen;
}

Tensor nearest(const Tensor& given, const Tensor& asked, std::int64_t k) {
  const Tensor points = given.contiguous(), queries = asked.contiguous();
  Tensor neighbours =
      torch::empty({points.size(0), queries.size(1), k}, points.options().dtype(torch::kInt64));
  run<Nearest>(points,
               {floats(points), points.size(1), floats(queries), queries.size(1), k,
                neighbours.data_ptr<std::int64_t>()},
               points.size(0) * queries.size(1));
  return neighbours;
}

Tensor group(const Tensor& given, const Tensor& centres_given, const Tensor& neighbours_given) {
  const Tensor points = given.contiguous(), centres = centres_given.contiguous(),
               neighbours = neighbours_given.contiguous();
  const std::int64_t q = neighbours.size(1), k = neighbours.size(2);
  Tensor patches = torch::empty({points.size(0), q, k, 3}, points.options());
  run_numbers<Group>(
      points, {floats(points), points.size(1), floats(centres), neighbours.data_ptr<std::int64_t>(),
               q, k, patches.numel(), writable(patches)});
  return patches;
}

Tensor harmonics(const Tensor& given, std::int64_t degree) {
  const Tensor directions = given.contiguous();
  auto shape = directions.sizes().vec();
  shape.back() = (degree + 1) * (degree + 1);
  Tensor out = torch::empty(shape, directions.options());
  run_numbers<Harmonics>(directions,
                         {floats(directions), shape.back(), out.numel(), writable(out)});
  return out;
}

Tensor wigner(const Tensor& given, const Tensor& directions_given, const Tensor& inverse_given) {
  const Tensor rotations = given.contiguous(), directions = directions_given.contiguous(),
               inverse = inverse_given.contiguous();
  std::int64_t columns = 0, rows = 0;
  for (std::int64_t order = 1; rows < inverse.size(0); rows += order, order += 2)
    columns += order * order;
  auto shape = rotations.sizes().vec();
  shape.back() = columns;
  Tensor out = torch::empty(shape, rotations.options());
  run_numbers<Wigner>(rotations, {floats(rotations), floats(directions), floats(inverse),
                                  directions.size(0), columns, out.numel(), writable(out)});
  return out;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> describe_patches(const Tensor& centres_given,
                                                            const Tensor& given,
                                                            std::int64_t degree, bool moments) {
  const Tensor centres = centres_given.contiguous(), points = given.contiguous();
  const std::int64_t batch = points.size(0), n = points.size(1), k = points.size(2);
  const std::int64_t columns = (degree + 1) * (degree + 1), tokens = moments ? 2 * n : n;
  Tensor centroid = torch::empty_like(centres), invariants = torch::empty_like(points);
  Tensor place = torch::empty({batch, n, 2}, points.options());
  Tensor values = torch::empty({batch, tokens, columns}, points.options());
  run<DescribePatches>(points,
                       {floats(centres), floats(points), n, k, columns, tokens, writable(centroid),
                        writable(invariants), writable(place), writable(values)},
                       batch * n);
  return {centroid, invariants, place, values};
}

Tensor relations(const Tensor& given) {
  const Tensor centroids = given.contiguous();
  const std::int64_t batch = centroids.size(0), n = centroids.size(1);
  Tensor out = torch::empty({batch, n, n, 2}, centroids.options());
  run_numbers<Relations>(centroids, {floats(centroids), n, batch * n * n, writable(out)});
  return out;
}

std::tuple<Tensor, Tensor> max_over_points(const Tensor& given) {
  const Tensor x = given.contiguous();
  const std::int64_t k = x.size(1), c = x.size(2);
  Tensor best = torch::empty({x.size(0), c}, x.options());
  Tensor which = torch::empty({x.size(0), c}, x.options().dtype(torch::kInt32));
  run_numbers<MaxOverPoints>(
      x, {floats(x), k, c, best.numel(), writable(best), which.data_ptr<std::int32_t>()});
  return {best, which};
}

Tensor max_backward(const Tensor& given, const Tensor& which, std::int64_t k) {
  const Tensor gradient = given.contiguous();
  Tensor spread = torch::empty({which.size(0), k, which.size(1)}, gradient.options());
  run_numbers<MaxBackward>(gradient, {floats(gradient), which.data_ptr<std::int32_t>(), k,
                                      which.size(1), spread.numel(), writable(spread)});
  return spread;
}

std::tuple<Tensor, Tensor> attention(const Tensor& given, const Tensor& bias_given,
                                     std::int64_t heads) {
  const Tensor qkv = given.contiguous();
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  const bool biased = bias_given.numel() > 0;
  // One of several biases in a tensor: its clouds lie apart, the rest is in a piece.
  const bool in_pieces = biased && bias_given[0].is_contiguous();
  const Tensor bias = in_pieces ? bias_given : bias_given.contiguous();
  Tensor probabilities = torch::empty({batch, heads, n, n}, qkv.options());
  Tensor out = torch::empty({batch, n, width}, qkv.options());
  run<Attention>(qkv,
                 {floats(qkv), biased ? floats(bias) : nullptr, n, width, heads,
                  biased ? bias.stride(0) : 0, writable(probabilities), writable(out)},
                 batch * heads);
  return {out, probabilities};
}

std::tuple<Tensor, Tensor> attention_backward(const Tensor& gradient_given, const Tensor& given,
                                              const Tensor& probabilities, std::int64_t heads,
                                              bool /*of_bias: it is computed anyway*/) {
  const Tensor gradient = gradient_given.contiguous(), qkv = given.contiguous();
  const std::int64_t batch = qkv.size(0), n = qkv.size(1), width = qkv.size(2) / 3;
  Tensor of_qkv = torch::empty_like(qkv), of_bias = torch::empty_like(probabilities);
  run<AttentionBackward>(qkv,
                         {floats(gradient), floats(qkv), floats(probabilities), n, width, heads,
                          writable(of_bias), writable(of_qkv)},
                         batch * heads);
  return {of_qkv, of_bias};
}

Tensor pool(const Tensor& weights_given, const Tensor& harmonics_given, torch::IntArrayRef counts) {
  const Tensor weights = weights_given.contiguous(), values = harmonics_given.contiguous();
  const Channels channels = as_channels(counts);
  std::int64_t length = 0;
  for (std::size_t l = 0; l < counts.size(); ++l)
    length += counts[l] * static_cast<std::int64_t>(2 * l + 1);
  Tensor z = torch::empty({weights.size(0), length}, weights.options());
  run_numbers<Pool>(weights, {floats(weights), floats(values), channels, weights.size(1), z.numel(),
                              writable(z)});
  return z;
}

Tensor pool_backward(const Tensor& given, const Tensor& harmonics_given,
                     torch::IntArrayRef counts) {
  const Tensor gradient = given.contiguous(), values = harmonics_given.contiguous();
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  Tensor weights = torch::empty({values.size(0), values.size(1), total}, gradient.options());
  run_numbers<PoolBackward>(gradient, {floats(gradient), floats(values), as_channels(counts),
                                       values.size(1), weights.numel(), writable(weights)});
  return weights;
}

std::tuple<Tensor, Tensor> add_norm(const Tensor& given, const Tensor& added_given,
                                    const Tensor& scale, const Tensor& shift, double epsilon) {
  const Tensor x = given.contiguous(), added = added_given.contiguous();
  Tensor sum = torch::empty_like(x), normalised = torch::empty_like(x);
  run<AddNorm>(x,
               {floats(x), floats(added), floats(scale), floats(shift), x.size(-1),
                static_cast<float>(epsilon), writable(sum), writable(normalised)},
               x.numel() / x.size(-1));
  return {sum, normalised};
}

Tensor unit_rows(const Tensor& given) {
  const Tensor x = given.contiguous();
  Tensor out = torch::empty_like(x);
  run<UnitRows>(x, {floats(x), x.size(-1), writable(out)}, x.numel() / x.size(-1));
  return out;
}

Tensor quick_scores(torch::TensorList arrays, torch::ArrayRef<double> grids,
                    double inlier_distance) {
  Tensor scores = torch::empty({arrays.back().numel() / kPoseNumbers}, arrays.back().options());
  run_numbers<QuickScore>(scores, quick_score_arguments(arrays, grids, inlier_distance, scores));
  return scores;
}

}  // namespace pointpng::cuda
