#include "model/device_judge.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <c10/core/StreamGuard.h>
#include <torch/library.h>
#include <torch/types.h>

#include "embed/host_judge.h"
#include "model/operators.h"
#include "model/quick_score_arguments.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// Arrays of 32-bit items that go to a device in one copy.
class Parcel {
 public:
  void add(const void* items, std::int64_t count) {
    parts_.emplace_back(static_cast<const std::byte*>(items), count);
    total_ += count;
  }

  std::vector<Tensor> send(torch::Device device) const {
    Tensor packed = torch::empty({total_}, torch::kFloat32);
    auto* to = reinterpret_cast<std::byte*>(packed.data_ptr<float>());
    for (const auto& [items, count] : parts_) {
      std::memcpy(to, items, sizeof(float) * static_cast<std::size_t>(count));
      to += sizeof(float) * static_cast<std::size_t>(count);
    }
    const Tensor there = packed.to(device);
    std::vector<Tensor> arrays;
    std::int64_t first = 0;
    for (const auto& [items, count] : parts_) {
      arrays.push_back(there.narrow(0, first, count));
      first += count;
    }
    return arrays;
  }

 private:
  std::vector<std::pair<const std::byte*, std::int64_t>> parts_;
  std::int64_t total_ = 0;
};

class DeviceJudge : public Judge {
 public:
  DeviceJudge(c10::Device device, c10::Stream stream) : device_(device), stream_(stream) {}

  std::vector<float> quick_scores(const cuda::QuickScore::Arguments& with) const override {
    const torch::NoGradGuard no_grad;
    const c10::StreamGuard on_own_stream(stream_);
    Parcel parcel;
    std::vector<double> grids;
    for (const cuda::Surface* surface : {&with.source, &with.target}) {
      parcel.add(surface->points, 3 * surface->n);
      for (const cuda::FieldGrid* grid : {&surface->fine, &surface->coarse}) {
        parcel.add(grid->block_of, grid->all_blocks());
        parcel.add(grid->nearest, grid->kept * cuda::FieldGrid::kBlockCells);
        grids.insert(grids.end(), std::begin(grid->origin), std::end(grid->origin));
        grids.push_back(grid->cells_per_unit);
        grids.insert(grids.end(), std::begin(grid->blocks), std::end(grid->blocks));
        grids.push_back(grid->kept);
      }
    }
    parcel.add(with.source_sample, 3 * with.source_samples);
    parcel.add(with.target_sample, 3 * with.target_samples);
    parcel.add(with.poses, kPoseNumbers * with.total);
    const Tensor scores =
        ops::quick_scores(parcel.send(device_), grids, double{with.inlier_distance})
            .to(torch::kCPU);
    return {scores.data_ptr<float>(), scores.data_ptr<float>() + scores.numel()};
  }

 private:
  c10::Device device_;
  c10::Stream stream_;
};

Tensor quick_scores_on_cpu(torch::TensorList arrays, torch::ArrayRef<double> grids,
                           double inlier_distance) {
  Tensor scores = torch::empty({arrays.back().numel() / kPoseNumbers});
  const std::vector<float> found =
      quick_scores_on_host(quick_score_arguments(arrays, grids, inlier_distance, scores));
  std::copy(found.begin(), found.end(), scores.data_ptr<float>());
  return scores;
}

}  // namespace

std::unique_ptr<const Judge> make_judge(c10::Device device, c10::Stream stream) {
  if (!ops::has_kernels(device)) return nullptr;
  return std::make_unique<DeviceJudge>(device, stream);
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  library.impl("quick_scores", pointpng::quick_scores_on_cpu);
}
