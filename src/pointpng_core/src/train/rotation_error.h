#pragma once

#include <torch/types.h>

#include "pointpng/evaluation.h"

namespace pointpng {

/// Isotropic rotation error (the geodesic angle) between rotations [P, 4], in degrees: [P].
torch::Tensor rotation_errors_deg(const torch::Tensor& estimated, const torch::Tensor& truth);

/// Its statistics.
RotationErrors rotation_errors(const torch::Tensor& estimated, const torch::Tensor& truth);

/// Statistics of errors in degrees.
RotationErrors summarise_errors(const torch::Tensor& degrees);

}  // namespace pointpng
