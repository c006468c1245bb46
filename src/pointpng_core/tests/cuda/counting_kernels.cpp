// The project's own operators on the counting device: a launch each, computed by the CPU's loops.

#include <torch/library.h>

#include "cuda/counting_fallback.h"

TORCH_LIBRARY_IMPL(pointpng, CUDA, library) {
  for (const char* name :
       {"farthest_from_centroid", "farthest_points", "nearest", "group", "harmonics", "wigner",
        "describe_patches", "relations", "max_over_points", "max_backward", "attention",
        "attention_backward", "pool", "pool_backward", "add_norm", "unit_rows", "quick_scores"})
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&counting::compute_on_cpu>());
}
