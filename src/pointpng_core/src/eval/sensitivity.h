#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "eval/equivariance.h"
#include "eval/retrieval.h"
#include "eval/rotation_probe.h"
#include "model/search.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// How much is measured.
struct SensitivityConfig {
  std::int64_t pairs = 200;   ///< for PA, AE and the rotation error
  std::int64_t shapes = 100;  ///< at most, for retrieval and R²
  std::int64_t views = 50;    ///< of each, as in SIE's evaluation
  RotationProbeConfig probe;
  RotationSearchConfig search;
};

/// All that the paper measures of a model's sensitivity to rotation, on shapes that it was not
/// trained on.
struct Sensitivity {
  Equivariance equivariance;
  Retrieval retrieval;
  std::optional<RotationProbe> probe;  ///< where there are shapes to train the regressor on
};

/// `train`: shapes for the regressor of R², none of which is in `test`; null leaves it out.
Sensitivity measure_sensitivity(Model& model, const ShapeSet& test, const ShapeSet* train,
                                const SensitivityConfig& config, std::uint64_t seed);

/// The members of all parts side by side; "retrieval" and "r2" among them.
void to_json(nlohmann::json& json, const Sensitivity& result);

}  // namespace pointpng
