#pragma once

#include <torch/types.h>

#include "cuda/judge_kernels.h"

namespace pointpng {

inline constexpr std::int64_t kPoseNumbers = sizeof(cuda::Pose) / sizeof(float);

/// The kernel's view of the tensors of `ops::quick_scores`, on whichever device they are.
inline cuda::QuickScore::Arguments quick_score_arguments(torch::TensorList arrays,
                                                         torch::ArrayRef<double> grids,
                                                         double inlier_distance,
                                                         torch::Tensor& scores) {
  const auto floats = [&](std::size_t i) { return arrays[i].data_ptr<float>(); };
  const auto integers = [&](std::size_t i) {
    return reinterpret_cast<const std::int32_t*>(floats(i));
  };
  const auto grid = [&](std::size_t number, std::size_t array) {
    const double* of = grids.data() + 8 * number;
    cuda::FieldGrid made{};
    for (int axis = 0; axis < 3; ++axis) {
      made.origin[axis] = static_cast<float>(of[axis]);
      made.blocks[axis] = static_cast<std::int32_t>(of[4 + axis]);
    }
    made.cells_per_unit = static_cast<float>(of[3]);
    made.kept = static_cast<std::int32_t>(of[7]);
    made.block_of = integers(array);
    made.nearest = integers(array + 1);
    return made;
  };
  return {{floats(0), nullptr, nullptr, arrays[0].numel() / 3, grid(0, 1), grid(1, 3)},
          {floats(5), nullptr, nullptr, arrays[5].numel() / 3, grid(2, 6), grid(3, 8)},
          floats(10),
          floats(11),
          arrays[10].numel() / 3,
          arrays[11].numel() / 3,
          reinterpret_cast<const cuda::Pose*>(floats(12)),
          scores.numel(),
          static_cast<float>(inlier_distance),
          scores.data_ptr<float>()};
}

}  // namespace pointpng
