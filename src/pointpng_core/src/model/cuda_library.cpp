// Gives LibTorch's dispatcher the kernels of src/cuda.

#include <torch/library.h>

#include "model/cuda_operators.h"

TORCH_LIBRARY_IMPL(pointpng, CUDA, library) {
  using namespace pointpng;
  library.impl("farthest_from_centroid", cuda::farthest_from_centroid);
  library.impl("farthest_points", cuda::farthest_points);
  library.impl("nearest", cuda::nearest);
  library.impl("group", cuda::group);
  library.impl("harmonics", cuda::harmonics);
  library.impl("wigner", cuda::wigner);
  library.impl("describe_patches", cuda::describe_patches);
  library.impl("relations", cuda::relations);
  library.impl("max_over_points", cuda::max_over_points);
  library.impl("max_backward", cuda::max_backward);
  library.impl("attention", cuda::attention);
  library.impl("attention_backward", cuda::attention_backward);
  library.impl("pool", cuda::pool);
  library.impl("pool_backward", cuda::pool_backward);
  library.impl("add_norm", cuda::add_norm);
  library.impl("unit_rows", cuda::unit_rows);
  library.impl("quick_scores", cuda::quick_scores);
}
