#include "model/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/cuda.h>

#include "base/memory.h"
#include "base/nvidia.h"
#include "pointpng/error.h"

namespace pointpng {

std::string cuda_problem() {
  if (!at::Context::hasCUDA() && !torch::cuda::is_available())
    return has_nvidia_driver()
               ? "there is an NVIDIA driver, but this LibTorch was built without CUDA or finds no "
                 "device; build with a CUDA LibTorch (-DTorch_DIR=…)"
               : "no NVIDIA driver is loaded on this machine";
  return torch::cuda::device_count() > 0 ? "" : "LibTorch knows CUDA, but finds no device";
}

c10::Device torch_device(Device device) {
  if (device == Device::kCpu) return c10::kCPU;
  const std::string problem = cuda_problem();
  if (device == Device::kCuda && !problem.empty())
    throw InputError("device cuda: " + problem + "; use device cpu, or see 'pointpng doctor'");
  return problem.empty() ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
}

c10::Device use(const ComputeOptions& options) {
  tune_allocator();
  set_num_threads(options.threads);
  at::set_num_threads(num_threads());
  return torch_device(options.device);
}

}  // namespace pointpng
