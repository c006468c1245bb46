#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <nlohmann/json_fwd.hpp>

#include "pose/evidence.h"

namespace pointpng {

/// One way in which two clouds may fit together. Lengths are in the clouds' unit.
struct Hypothesis {
  Eigen::Isometry3d target_from_source = Eigen::Isometry3d::Identity();
  std::string origin;  ///< embedding | parts | guess: who proposed it
  /// The bidirectional loss of the search; NaN where the embedding did not propose it.
  double embedding_loss = std::numeric_limits<double>::quiet_NaN();
  double score = 0.0;  ///< 0 … 1: how well the surfaces agree; the verification's measure
  double source_overlap = 0.0;  ///< share of the source that lies on the target's surface
  double target_overlap = 0.0;  ///< share of the target that lies on the source's surface
  double residual = 0.0;        ///< symmetric, trimmed: root mean square distance of what overlaps
};

/// Milliseconds spent in each stage of an alignment.
struct StageTimes {
  double prepare = 0.0;  ///< cleaning, downsampling, normals, nearest-point fields
  double embed = 0.0;    ///< both embeddings; 0 for a cloud that was prepared before
  double search = 0.0;   ///< rotations in embedding space
  double parts = 0.0;    ///< hypotheses from parts of the clouds, where they were needed
  double refine = 0.0;   ///< translation, refinement and verification of all hypotheses
  double total = 0.0;
};

/// Covariance of (x, y, z, rotation about x, y, z), in the order and meaning that ROS uses: where
/// the source's origin is in the target's frame, and a small turn about the target's axes.
using PoseCovariance = Eigen::Matrix<double, 6, 6>;

/// The answer: how the source has to be moved, and how far that can be trusted.
struct Alignment {
  bool accepted = false;
  std::string reason;  ///< why it was not accepted, a sentence; empty where it was
  Eigen::Isometry3d target_from_source = Eigen::Isometry3d::Identity();
  PoseCovariance covariance = PoseCovariance::Zero();
  double confidence = 0.0;  ///< 0 … 1: how probably right, as calibrated on all protocols
  double fitness = 0.0;     ///< score of the best hypothesis
  double residual = 0.0;    ///< its residual
  double embedding_loss = std::numeric_limits<double>::quiet_NaN();
  double margin = 0.0;  ///< score of the best less that of the best other one (another rotation)
  Evidence evidence;    ///< what the confidence was made of
  /// Right answers that the clouds can't tell apart: more than 1 for symmetric objects.
  int modes = 1;
  std::vector<Hypothesis> hypotheses;  ///< best first; the first is the answer
  std::vector<std::string> notes;      ///< what the user should know, such as downsampling
  StageTimes times_ms;
};

void to_json(nlohmann::json& json, const StageTimes& times);
void to_json(nlohmann::json& json, const Hypothesis& hypothesis);
void to_json(nlohmann::json& json, const Alignment& alignment);

/// 16 numbers, row by row, as files and JSON hold a transform.
std::array<double, 16> row_major(const Eigen::Isometry3d& transform);

}  // namespace pointpng
