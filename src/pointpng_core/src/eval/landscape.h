#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <torch/types.h>

#include "model/model.h"
#include "model/search.h"

namespace pointpng {

/// How finely the loss of a pair is looked at.
struct LandscapeConfig {
  std::int64_t latitudes = 36;  ///< of the maps of axes; twice as many longitudes
  std::int64_t angles = 36;     ///< of each axis, up to 180°
  std::int64_t grid = 20000;    ///< rotations spread over all of SO(3)
  double curve_step_deg = 2.0;  ///< of the curves
  std::vector<double> shells_deg = {30, 60, 90, 120, 150, 180};  ///< around the centre
  RotationSearchConfig search;
};

/// Values on the sphere, from the south pole up, each row from -180° to 180°; a value stands for
/// the middle of its cell.
struct SphereValues {
  std::int64_t latitudes = 0, longitudes = 0;
  std::vector<float> values;  ///< row by row
};

/// A rotation and its loss.
struct LossAt {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  ///< target_from_source
  double loss = 0.0;
};

/// Loss along a full turn about an axis through the centre.
struct LossCurve {
  std::string axis;  ///< "x", "y", "z"
  std::vector<double> angle_deg, loss;
};

/// Loss at one distance from the centre, over all rotations of the grid that are so far away.
struct LossShell {
  double distance_deg = 0.0;
  double lowest = 0.0, median = 0.0, highest = 0.0;
};

/// The bidirectional loss of a pair of embeddings over SO(3).
struct Landscape {
  SphereValues best_loss;            ///< over axes of rotation: the lowest loss of all angles
  SphereValues best_angle_deg;       ///< and the angle at which it is
  std::vector<SphereValues> shells;  ///< loss at `shells_deg` from the centre, over axes
  std::vector<double> shells_deg;
  std::vector<LossCurve> curves;
  std::vector<LossShell> distances;
  std::optional<LossAt> truth;         ///< where it is known
  std::vector<LossAt> hypotheses;      ///< what the search found, best first
  LossAt centre;                       ///< the truth, or the best hypothesis
  double lowest = 0.0, highest = 0.0;  ///< of all rotations looked at
  double below_truth = 0.0;            ///< share of the grid with a lower loss than the centre
};

/// `source` and `target` are embeddings [1, d] of the model.
Landscape loss_landscape(Model& model, const torch::Tensor& source, const torch::Tensor& target,
                         const std::optional<Eigen::Quaterniond>& truth,
                         const LandscapeConfig& config = {});

}  // namespace pointpng
