#include <c10/cuda/CUDAStream.h>

#include "model/cuda_operators.h"

namespace pointpng::cuda {

void* current_stream(torch::Device device) {
  return c10::cuda::getCurrentCUDAStream(device.index()).stream();
}

}  // namespace pointpng::cuda
