#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "model/model.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// Throws `InputError` for a cloud that can't be embedded, and for an axis without direction.
Trajectory turn_around(Model& model, const Cloud& cloud, const TrajectoryConfig& config = {},
                       std::string_view name = "the cloud");

}  // namespace pointpng
