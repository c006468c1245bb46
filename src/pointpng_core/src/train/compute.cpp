#include "train/compute.h"

#include <filesystem>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/cuda.h>

#include "base/memory.h"
#include "pointpng/error.h"

namespace pointpng {

c10::Device use(const ComputeOptions& options) {
  tune_allocator();
  at::set_num_threads(options.threads > 0 ? options.threads : usable_cores());
  if (options.device == Device::kCpu) return c10::kCPU;
  const std::string problem = cuda_problem();
  if (problem.empty()) return {c10::kCUDA, 0};
  if (options.device == Device::kCuda)
    throw InputError("--device cuda: " + problem + "; use --device cpu, or see 'pointpng doctor'");
  return c10::kCPU;
}

std::string cuda_problem() {
  if (at::Context::hasCUDA() || torch::cuda::is_available())
    return torch::cuda::device_count() > 0 ? "" : "LibTorch knows CUDA, but finds no device";
  return std::filesystem::exists("/proc/driver/nvidia/version")
             ? "there is an NVIDIA driver, but this LibTorch was built without CUDA or finds no "
               "device; build with a CUDA LibTorch (-DTorch_DIR=…)"
             : "no NVIDIA driver is loaded on this machine";
}

}  // namespace pointpng
