#include <algorithm>
#include <span>
#include <utility>

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

namespace {

/// A few pairs at a time, after one that warms caches and threads.
PoseEvaluation evaluate_together(const std::vector<PosePair>& pairs,
                                 const Registration& registration,
                                 const std::function<void(std::int64_t)>& on_pair) {
  constexpr std::size_t kPairsPerCall = 8;  // bounds the memory
  const std::span<const PosePair> all(pairs);
  estimate_together(registration, all.first(std::min<std::size_t>(1, all.size())));
  std::vector<PairResult> rows;
  while (rows.size() < all.size()) {
    const auto some = all.subspan(rows.size(), std::min(kPairsPerCall, all.size() - rows.size()));
    const std::vector<EstimatedPose> estimated = estimate_together(registration, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      PairResult row = judge(some[i], estimated[i].alignment);
      row.cpu_ms = estimated[i].cpu_ms;
      row.searched = estimated[i].searched;
      rows.push_back(std::move(row));
      on_pair(std::ssize(rows));
    }
  }
  return summarise(std::move(rows));
}

}  // namespace

PoseEvaluation evaluate_pose(const EvaluationInput& input, const RegistrationConfig& config,
                             const std::vector<PosePair>& pairs, std::optional<double> guess_deg,
                             const EvaluationHooks& hooks) {
  const Registration registration = Registration::load(input.model, config, input.compute);
  const auto on_pair = [&](std::int64_t done) {
    if (hooks.on_progress)
      hooks.on_progress("pairs", static_cast<double>(done) / static_cast<double>(pairs.size()));
  };
  if (!guess_deg) return evaluate_together(pairs, registration, on_pair);
  return evaluate_pose(pairs, tracker_of(registration, *guess_deg, input.seed), nullptr, on_pair);
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
