#include <climits>
#include <cuda_runtime.h>

#include "cuda/launch.h"

namespace pointpng::cuda {
namespace {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads)
    entry(const __grid_constant__ typename Kernel::Arguments with) {
  __shared__ typename Kernel::Shared shared;
  __shared__ typename Block<Kernel::kThreads>::Storage storage;
  Kernel::run(Block<Kernel::kThreads>(storage), shared, with);
}

}  // namespace

template <class Kernel>
const char* launch(const typename Kernel::Arguments& with, std::int64_t blocks, void* stream) {
  if (blocks == 0) return nullptr;
  if (blocks > INT_MAX) return "the batch is too large for one kernel: split it";
  entry<Kernel>
      <<<static_cast<unsigned>(blocks), Kernel::kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
          with);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

#define POINTPNG_INSTANTIATE(Kernel) \
  template const char* launch<Kernel>(const Kernel::Arguments&, std::int64_t, void*);
POINTPNG_FOR_EACH_KERNEL(POINTPNG_INSTANTIATE)

}  // namespace pointpng::cuda
