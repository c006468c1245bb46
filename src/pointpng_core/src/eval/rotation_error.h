#pragma once

#include <nlohmann/json_fwd.hpp>
#include <torch/types.h>

namespace pointpng {

/// Statistics of rotation errors over pairs.
struct RotationErrors {
  double mean_deg = 0.0, median_deg = 0.0, max_deg = 0.0;
  double within_5deg = 0.0, within_15deg = 0.0;  ///< shares of the pairs
};

/// Isotropic rotation error (the geodesic angle) between rotations [P, 4], summed up.
RotationErrors rotation_errors(const torch::Tensor& estimated, const torch::Tensor& truth);

/// {"rotation_deg": {"mean", "median", "max"}, "success": {"5deg", "15deg"}}
void to_json(nlohmann::json& json, const RotationErrors& errors);

}  // namespace pointpng
