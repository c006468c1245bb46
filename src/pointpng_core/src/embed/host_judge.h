#pragma once

#include <vector>

#include "cuda/judge_kernels.h"

namespace pointpng {

/// `Judge::quick_scores` by the kernel's own code on this computer.
std::vector<float> quick_scores_on_host(cuda::QuickScore::Arguments with);

}  // namespace pointpng
