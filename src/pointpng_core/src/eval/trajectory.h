#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "eval/pca.h"
#include "model/model.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// How an object is turned.
struct TrajectoryConfig {
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  std::int64_t steps = 72;  ///< of one full turn
  bool resample = false;    ///< another random half of the points at every step, as a sensor would
  std::uint64_t seed = 0;   ///< of that choice
};

/// The way of an embedding while its object makes a full turn; the last step is the first pose.
struct Trajectory {
  std::vector<double> angle_deg;     ///< 0 … 360
  Rows embedding;                    ///< [steps + 1, d]
  Rows predicted;                    ///< the same as the predictor has it: u_g(z at 0°)
  std::vector<double> to_start;      ///< sim(z at 0°, z): 1 throughout is an invariant embedding
  std::vector<double> to_predicted;  ///< sim(u_g(z at 0°), z): the predictor's accuracy
};

/// Throws `InputError` for a cloud that can't be embedded, and for an axis without direction.
Trajectory turn_around(Model& model, const Cloud& cloud, const TrajectoryConfig& config = {},
                       std::string_view name = "the cloud");

}  // namespace pointpng
