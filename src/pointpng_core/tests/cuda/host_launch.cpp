// The kernels in the memory of the counting device, run by threads of this computer.

#include "cuda/counting_device.h"
#include "cuda/host_block.h"
#include "model/cuda_operators.h"

namespace pointpng::cuda {

void* current_stream(torch::Device /*device*/) { return nullptr; }

template <class Kernel>
const char* launch(const typename Kernel::Arguments& with, std::int64_t blocks, void* /*stream*/) {
  const counting::OpenMemory memory;
  run_on_host<Kernel, Kernel::kThreads>(with, blocks);
  return nullptr;
}

#define POINTPNG_INSTANTIATE(Kernel) \
  template const char* launch<Kernel>(const Kernel::Arguments&, std::int64_t, void*);
POINTPNG_FOR_EACH_KERNEL(POINTPNG_INSTANTIATE)

}  // namespace pointpng::cuda
