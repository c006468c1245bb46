// The plug-in interface through which libpointpng uses this library.

#include <filesystem>

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include "base/stopwatch.h"
#include "embed/learning_plugin.h"
#include "model/device.h"
#include "model/torch_embedder.h"

namespace pointpng {
namespace {

std::shared_ptr<const Embedder> load_torch_embedder(const std::filesystem::path& file,
                                                    Device device) {
  return make_embedder(load_model(file, torch_device(device)).model);
}

LearningInfo describe() {
  LearningInfo info;
  info.installed = true;
  info.torch_version = TORCH_VERSION;
  info.cuda_problem = cuda_problem();
  info.cuda_usable = info.cuda_problem.empty();
  if (info.cuda_usable)
    for (std::size_t i = 0; i < torch::cuda::device_count(); ++i)
      info.cuda_devices.push_back("cuda:" + std::to_string(i));
  info.has_mkl = at::Context::hasMKL();
  return info;
}

/// The fastest of a few matrix products.
LearningSpeed measure_speed(Device wanted) {
  constexpr std::int64_t kSize = 1024;
  const torch::NoGradGuard no_grad;
  const torch::Device device = use({num_threads(), wanted});
  const Tensor ones = torch::ones({kSize, kSize}, device);
  LearningSpeed speed{device.str(), 0.0};
  for (int repetition = 0; repetition < 4; ++repetition) {
    const Stopwatch watch;
    // Reading one element synchronises with the device.
    const auto corner = ones.mm(ones)[0][0].item<float>();
    if (corner != static_cast<float>(kSize)) return {device.str(), 0.0};
    speed.gflops = std::max(speed.gflops, 2e-9 * kSize * kSize * kSize / watch.seconds());
  }
  return speed;
}

}  // namespace
}  // namespace pointpng

extern "C" const pointpng::LearningPlugin* pointpng_learning_plugin() {
  static const pointpng::LearningPlugin plugin{pointpng::load_torch_embedder, pointpng::describe,
                                               pointpng::measure_speed};
  return &plugin;
}
