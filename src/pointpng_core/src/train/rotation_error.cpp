#include "train/rotation_error.h"

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/geometry.h"
#include "model/rotation.h"

namespace pointpng {

torch::Tensor rotation_errors_deg(const torch::Tensor& estimated, const torch::Tensor& truth) {
  return rotation::angle(estimated.to(torch::kFloat64), truth.to(torch::kFloat64)) *
         kDegreesPerRadian;
}

RotationErrors rotation_errors(const torch::Tensor& estimated, const torch::Tensor& truth) {
  return summarise_errors(rotation_errors_deg(estimated, truth));
}

RotationErrors summarise_errors(const torch::Tensor& degrees) {
  const auto share_below = [&](double bound) {
    return (degrees < bound).to(torch::kFloat64).mean().item<double>();
  };
  return {degrees.mean().item<double>(), torch::quantile(degrees, 0.5).item<double>(),
          degrees.max().item<double>(), share_below(5.0), share_below(15.0)};
}

void to_json(nlohmann::json& json, const RotationErrors& errors) {
  json = {{"rotation_deg",
           {{"mean", errors.mean_deg}, {"median", errors.median_deg}, {"max", errors.max_deg}}},
          {"success", {{"5deg", errors.within_5deg}, {"15deg", errors.within_15deg}}}};
}

}  // namespace pointpng
