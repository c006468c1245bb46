// Farthest point sampling 1024 → 64 and 32 nearest neighbours on a batch of 32 clouds: the CPU
// kernels against a plain LibTorch implementation, in one run.
#include "model/sampling.h"

#include <benchmark/benchmark.h>
#include <torch/types.h>

#include "common.h"

namespace {

using pointpng::Sampler;
using torch::Tensor;

const Tensor& clouds() {
  static const Tensor made = torch::rand({32, 1024, 3});
  return made;
}

void patches(benchmark::State& state, const Sampler& sampler) {
  const Tensor start = pointpng::farthest_from_centroid(clouds());
  for (auto _ : state) {
    const Tensor chosen = sampler.farthest_points(clouds(), 64, start);
    benchmark::DoNotOptimize(
        sampler.nearest(clouds(), pointpng::gather_rows(clouds(), chosen), 32));
  }
}

}  // namespace

int main(int argc, char** argv) {
  set_up_benchmark();
  benchmark::RegisterBenchmark("fps+knn/pointpng", patches,
                               std::cref(pointpng::sampler_for(torch::kCPU)))
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("fps+knn/plain_libtorch", patches,
                               std::cref(pointpng::tensor_sampler()))
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
