#pragma once

#include <vector>

#include "cuda/judge_kernels.h"

namespace pointpng {

/// Judges many poses at once on another device than the CPU.
class Judge {
 public:
  virtual ~Judge() = default;

  /// The score of every pose. All pointers are to this computer's memory; `scores` is not used.
  virtual std::vector<float> quick_scores(const cuda::QuickScore::Arguments& with) const = 0;
};

}  // namespace pointpng
