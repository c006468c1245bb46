#pragma once

#include <cstdint>

#include "model/model.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// `train`: shapes for the regressor of R², none of which is in `test`; null skips it.
Sensitivity measure_sensitivity(Model& model, const ShapeSet& test, const ShapeSet* train,
                                const SensitivityConfig& config, std::uint64_t seed);

}  // namespace pointpng
