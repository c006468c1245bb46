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
  const auto grid = [&](std::size_t number, std::size_t array) {
    const double* of = grids.data() + 7 * number;
    cuda::FieldGrid made{};
    for (int axis = 0; axis < 3; ++axis) {
      made.origin[axis] = static_cast<float>(of[axis]);
      made.size[axis] = static_cast<std::int32_t>(of[4 + axis]);
    }
    made.cells_per_unit = static_cast<float>(of[3]);
    made.nearest = reinterpret_cast<const std::int32_t*>(floats(array));
    return made;
  };
  return {{floats(0), nullptr, arrays[0].numel() / 3, grid(0, 1), grid(1, 2)},
          {floats(3), nullptr, arrays[3].numel() / 3, grid(2, 4), grid(3, 5)},
          floats(6),
          floats(7),
          arrays[6].numel() / 3,
          arrays[7].numel() / 3,
          reinterpret_cast<const cuda::Pose*>(floats(8)),
          scores.numel(),
          static_cast<float>(inlier_distance),
          scores.data_ptr<float>()};
}

}  // namespace pointpng
