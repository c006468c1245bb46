#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "eval/pose_evaluation.h"
#include "pointpng/evaluation.h"
#include "pose/config.h"

namespace pointpng {

/// Which pairs: made of `EvaluationInput::data`, or read from a folder.
struct PosePairs {
  std::string protocol;  ///< see `pose_protocols`, or `scene` for a folder of depth frames
  std::int64_t pairs = 100;
  std::filesystem::path folder;  ///< with pairs.json, see `load_pairs`
};

/// Throws `InputError` unless either data with a protocol, or a folder is given.
std::vector<PosePair> load_or_make_pairs(const EvaluationInput& input, const PosePairs& wanted,
                                         const OnMessage& on_message);

/// Our poses of the pairs. `guess_deg`: no global registration, but initial guesses that are off by
/// up to this angle, as tracking has them.
PoseEvaluation evaluate_pose(const EvaluationInput& input, const PoseConfig& config,
                             const std::vector<PosePair>& pairs, std::optional<double> guess_deg,
                             const EvaluationHooks& hooks);

/// What `eval pose --json` prints.
nlohmann::json pose_evaluation_json(const PoseEvaluation& evaluation, const EvaluationInput& input,
                                    const PosePairs& wanted, const PoseConfig& config,
                                    std::optional<double> guess_deg,
                                    const std::vector<std::string>& notes);

}  // namespace pointpng
