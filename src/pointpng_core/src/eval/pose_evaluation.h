#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "eval/protocols.h"
#include "eval/rotation_error.h"
#include "pointpng/alignment.h"

namespace pointpng {

/// Whatever finds a pose: our estimator or a peer.
using Aligner = std::function<Alignment(const PosePair&)>;

/// The best rotation of the search alone, before anything is refined: target_from_source.
using SearchOnly = std::function<Eigen::Quaterniond(const PosePair&)>;

/// How one pair went.
struct PairResult {
  std::string name, class_name;
  std::string reason;  ///< why it was rejected
  bool accepted = false;
  Eigen::Quaterniond estimated = Eigen::Quaterniond::Identity();
  Eigen::Quaterniond truth = Eigen::Quaterniond::Identity();
  std::optional<Eigen::Quaterniond> searched;
  double rotation_deg = 0.0;      ///< isotropic error of the answer, accepted or not
  double translation = 0.0;       ///< |t - t_true|, in the clouds' unit
  double diameter = 0.0;          ///< of the source
  double surface_distance = 0.0;  ///< mean, of the moved object to where the truth puts it
  /// Whether that is little more than the spacing of the points: right, or right up to a symmetry
  /// of the object.
  bool surface_ok = false;
  double confidence = 0.0, residual = 0.0;
  Evidence evidence;
  int modes = 1;
  double total_ms = 0.0;  ///< of the aligner, by the clock
  double cpu_ms = 0.0;    ///< the same in processor time of all threads, whatever else runs
  StageTimes stages_ms;   ///< as it says itself
};

/// Figures over pairs in which every pair counts.
struct PoseFigures {
  RotationErrors rotation;
  double surface_ok = 0.0;  ///< share
  double translation_mean = 0.0, translation_median = 0.0;
};

/// The result of a measurement. A rejected pair is a failure in every figure but those named
/// otherwise: 180° off, one diameter away, not on the surface.
struct PoseEvaluation {
  std::vector<PairResult> rows;
  std::int64_t rejected = 0;
  PoseFigures figures;
  PoseFigures if_all_accepted;  ///< of the answers that were found, rejected or not
  std::optional<RotationErrors> search_only;
  /// Of the accepted pairs, the share within 5° or right up to symmetry; 1 where none was accepted.
  double accepted_right = 1.0;
  std::map<std::string, PoseFigures> classes;  ///< where the pairs name any
  std::map<std::string, std::int64_t> class_sizes;
  StageTimes mean_ms;
  double median_ms = 0.0;
  double mean_cpu_ms = 0.0;
};

/// Compares an answer with the truth.
PairResult judge(const PosePair& pair, const Alignment& alignment);

/// Sums up; throws `InputError` where there is nothing to sum up.
PoseEvaluation summarise(std::vector<PairResult> rows);

/// Aligns pair after pair. One alignment before them all is not timed: it warms caches and threads.
/// A pair that the aligner refuses with `InputError` counts as rejected. `on_pair` is called after
/// each, for progress.
PoseEvaluation evaluate_pose(const std::vector<PosePair>& pairs, const Aligner& align,
                             const SearchOnly& search = nullptr,
                             const std::function<void(std::int64_t)>& on_pair = nullptr);

/// The contract of `pointpng eval pose --json`.
void to_json(nlohmann::json& result, const PoseEvaluation& evaluation);

/// One row of `--rows`.
void to_json(nlohmann::json& result, const PairResult& row);

/// A JSON object a line.
std::string rows_as_lines(const std::vector<PairResult>& rows);

/// For people.
std::string to_text(const PoseEvaluation& evaluation);

}  // namespace pointpng
