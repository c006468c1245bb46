#include "eval/estimators.h"
#include "eval/input.h"
#include "eval/scene_pairs.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"
#include "pointpng/json.h"

namespace pointpng {

std::vector<PosePair> load_or_make_pairs(const EvaluationInput& input, const PosePairs& wanted,
                                         const OnMessage& on_message) {
  const bool from_files = !wanted.folder.empty();
  if (from_files == !input.data.empty() || from_files == !wanted.protocol.empty())
    throw InputError(
        "give either --pairs-dir, or --data with --protocol; see 'pointpng eval pose --help'");
  std::vector<std::string> notes;
  std::vector<PosePair> pairs;
  if (from_files)
    pairs = load_pairs(wanted.folder, &notes);
  else if (wanted.protocol == "scene")
    pairs = make_scene_pairs(input.data.front(), wanted.pairs, input.seed, &notes);
  else
    pairs = make_pairs(load_shapes(input.data.front(), input.load, &notes), wanted.protocol,
                       wanted.pairs, input.seed, &notes);
  pass_on(notes, on_message);
  return pairs;
}

PoseEvaluation evaluate_pose(const EvaluationInput& input, const RegistrationConfig& config,
                             const std::vector<PosePair>& pairs, std::optional<double> guess_deg,
                             const EvaluationHooks& hooks) {
  const Registration registration = Registration::load(input.model, config, input.compute);
  const auto on_pair = [&](std::int64_t done) {
    if (hooks.on_progress)
      hooks.on_progress("pairs", static_cast<double>(done) / static_cast<double>(pairs.size()));
  };
  return guess_deg ? evaluate_pose(pairs, tracker_of(registration, *guess_deg, input.seed), nullptr,
                                   on_pair)
                   : evaluate_pose(pairs, aligner_of(registration), search_only_of(registration),
                                   on_pair);
}

nlohmann::json pose_evaluation_json(const PoseEvaluation& evaluation, const EvaluationInput& input,
                                    const PosePairs& wanted, const RegistrationConfig& config,
                                    std::optional<double> guess_deg,
                                    const std::vector<std::string>& notes) {
  nlohmann::json result = evaluation;
  result["model"] = find_model(input.model).string();
  result["pose"] = config;
  if (guess_deg) result["guess"] = *guess_deg;
  result["threads"] = num_threads();
  result["notes"] = notes;
  if (wanted.folder.empty()) {
    result["data"] = input.data.front();
    result["protocol"] = wanted.protocol;
    result["seed"] = input.seed;
  } else {
    result["pairs_dir"] = wanted.folder.string();
  }
  return result;
}

}  // namespace pointpng
