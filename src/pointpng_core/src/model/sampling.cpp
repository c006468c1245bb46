#include "model/sampling.h"

#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/library.h>
#include <torch/types.h>

#include "cloud/sampling.h"
#include "cloud/simd.h"
#include "model/operators.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

void require_at_most(const Tensor& points, std::int64_t wanted, const char* what) {
  if (wanted < 1 || wanted > points.size(1))
    throw InputError(
        fmt::format("can't take {} {} from a cloud of {} points", wanted, what, points.size(1)));
}

/// Our own kernels, parallel over the batch: every cloud is computed by one thread, so the result
/// does not depend on the number of threads.
class CpuSampler : public Sampler {
 public:
  Tensor farthest_points(const Tensor& points, std::int64_t count,
                         const Tensor& start) const override {
    require_at_most(points, count, "farthest points");
    const Tensor rows = points.detach().to(torch::kFloat32).contiguous();
    const Tensor first = start.to(torch::kInt64).contiguous();
    const std::int64_t n = rows.size(1);
    if (first.lt(0).logical_or(first.ge(n)).any().item<bool>())
      throw InputError("farthest point sampling must start at a point of the cloud");
    Tensor chosen = torch::empty({rows.size(0), count}, torch::kInt64);
    const float* source = rows.data_ptr<float>();
    const auto* starts = first.data_ptr<std::int64_t>();
    auto* out = chosen.data_ptr<std::int64_t>();
    at::parallel_for(0, rows.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
      kernels::ColumnBuffer buffer(n);
      for (std::int64_t b = begin; b < end; ++b)
        kernels::farthest_points(buffer.load(source + b * n * 3), starts[b], count,
                                 buffer.scratch(), out + b * count);
    });
    return chosen;
  }

  Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k) const override {
    require_at_most(points, k, "neighbours");
    const Tensor rows = points.detach().to(torch::kFloat32).contiguous();
    const Tensor asked = queries.detach().to(torch::kFloat32).contiguous();
    const std::int64_t n = rows.size(1), q = asked.size(1);
    Tensor neighbours = torch::empty({rows.size(0), q, k}, torch::kInt64);
    const float* source = rows.data_ptr<float>();
    const float* query = asked.data_ptr<float>();
    auto* out = neighbours.data_ptr<std::int64_t>();
    at::parallel_for(0, rows.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
      kernels::ColumnBuffer buffer(n);
      std::vector<std::int64_t> keys(static_cast<std::size_t>(simd::padded(n) + simd::kLanes));
      kernels::NeighbourScratch scratch{buffer.scratch(), keys.data()};
      for (std::int64_t b = begin; b < end; ++b) {
        const auto cloud = buffer.load(source + b * n * 3);
        for (std::int64_t i = b * q; i < (b + 1) * q; ++i)
          kernels::nearest(cloud, query + i * 3, k, scratch, out + i * k);
      }
    });
    return neighbours;
  }
};

/// CUDA's kernels.
class KernelSampler : public Sampler {
 public:
  Tensor farthest_points(const Tensor& points, std::int64_t count,
                         const Tensor& start) const override {
    require_at_most(points, count, "farthest points");
    return ops::farthest_points(points.detach().to(torch::kFloat32), count,
                                start.to(points.device(), torch::kInt64));
  }

  Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k) const override {
    require_at_most(points, k, "neighbours");
    return ops::nearest(points.detach().to(torch::kFloat32), queries.detach().to(torch::kFloat32),
                        k);
  }
};

class TensorSampler : public Sampler {
 public:
  Tensor farthest_points(const Tensor& points, std::int64_t count,
                         const Tensor& start) const override {
    require_at_most(points, count, "farthest points");
    const torch::NoGradGuard no_grad;
    Tensor distance = torch::full({points.size(0), points.size(1)}, 1e30, points.options());
    Tensor current = start.to(points.device(), torch::kInt64);
    std::vector<Tensor> chosen;
    for (std::int64_t i = 0; i < count; ++i) {
      chosen.push_back(current);
      const Tensor centre = gather_rows(points, current.unsqueeze(1));
      distance = torch::minimum(distance, (points - centre).square().sum(-1));
      current = distance.argmax(1);
    }
    return torch::stack(chosen, 1);
  }

  Tensor nearest(const Tensor& points, const Tensor& queries, std::int64_t k) const override {
    require_at_most(points, k, "neighbours");
    const torch::NoGradGuard no_grad;
    return std::get<1>(torch::cdist(queries, points).topk(k, -1, /*largest=*/false));
  }
};

}  // namespace

const Sampler& tensor_sampler() {
  static const TensorSampler sampler;
  return sampler;
}

const Sampler& sampler_for(torch::Device device) {
  static const CpuSampler cpu;
  static const KernelSampler kernels;
  if (device.is_cpu()) return cpu;
  return ops::has_kernels(device) ? static_cast<const Sampler&>(kernels) : tensor_sampler();
}

Tensor farthest_from_centroid(const Tensor& points) {
  if (points.is_cuda() && ops::has_kernels(points)) return ops::farthest_from_centroid(points);
  return (points - points.mean(1, true)).square().sum(-1).argmax(1);
}

Tensor group(const Tensor& points, const Tensor& centres, const Tensor& neighbours) {
  if (points.is_cuda() && ops::has_kernels(points)) return ops::group(points, centres, neighbours);
  return gather_rows(points, neighbours) - centres.unsqueeze(2);
}

Tensor gather_rows(const Tensor& points, const Tensor& indices) {
  const Tensor flat = indices.flatten(1).unsqueeze(-1).expand({-1, -1, points.size(-1)});
  auto shape = indices.sizes().vec();
  shape.push_back(points.size(-1));
  return points.gather(1, flat).view(shape);
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  using torch::Tensor;
  library.impl("farthest_from_centroid",
               [](const Tensor& points) { return pointpng::farthest_from_centroid(points); });
  library.impl("farthest_points",
               [](const Tensor& points, std::int64_t count, const Tensor& start) {
                 return pointpng::sampler_for(torch::kCPU).farthest_points(points, count, start);
               });
  library.impl("nearest", [](const Tensor& points, const Tensor& queries, std::int64_t k) {
    return pointpng::sampler_for(torch::kCPU).nearest(points, queries, k);
  });
  library.impl("group", pointpng::group);
}
