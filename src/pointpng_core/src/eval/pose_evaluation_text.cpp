#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/geometry.h"
#include "pointpng/evaluation.h"
#include "pointpng/json.h"
#include "pose/confidence.h"

namespace pointpng {
namespace {

using nlohmann::json;

/// JSON knows no NaN.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json as_json(const PoseFigures& figures) {
  json result = figures.rotation;
  result["surface_ok"] = figures.surface_ok;
  result["translation"] = {{"mean", figures.translation_mean},
                           {"median", figures.translation_median}};
  return result;
}

json as_json(const Verdicts& verdicts) {
  return {{"pairs", verdicts.pairs()},
          {"accepted_right", verdicts.accepted_right},
          {"accepted_wrong", verdicts.accepted_wrong},
          {"right_rejected", verdicts.right_rejected},
          {"wrong_rejected", verdicts.wrong_rejected}};
}

json as_json(const Consistency& consistency) {
  return {{"pairs", consistency.pairs},
          {"mean", consistency.mean_nees},
          {"band", {consistency.low, consistency.high}}};
}

json as_json(const PoseEvaluation& evaluation, const StageTimes& times) {
  return {{"total", times.total},           {"prepare", times.prepare},
          {"embed", times.embed},           {"search", times.search},
          {"parts", times.parts},           {"refine", times.refine},
          {"median", evaluation.median_ms}, {"cpu", evaluation.mean_cpu_ms}};
}

std::string line_of(const std::string& name, const RotationErrors& rotation) {
  return fmt::format("{:<20} {:>8.2f} {:>8.2f} {:>8.1f} {:>7.1f} {:>7.1f}", name, rotation.mean_deg,
                     rotation.median_deg, rotation.max_deg, 100.0 * rotation.within_5deg,
                     100.0 * rotation.within_15deg);
}

std::string line_of(const std::string& name, const PoseFigures& figures) {
  return fmt::format("{} {:>8.1f} {:>11.4f}\n", line_of(name, figures.rotation),
                     100.0 * figures.surface_ok, figures.translation_median);
}

std::string times_line(const PoseEvaluation& evaluation) {
  const StageTimes& ms = evaluation.mean_ms;
  return fmt::format(
      "{:.1f} ms per pair (median {:.1f}, processor {:.1f}): prepare {:.1f}, embed {:.1f}, search "
      "{:.1f}, parts "
      "{:.1f}, "
      "refine {:.1f}\n",
      ms.total, evaluation.median_ms, evaluation.mean_cpu_ms, ms.prepare, ms.embed, ms.search,
      ms.parts, ms.refine);
}

std::string line_of(const std::string& name, const Verdicts& verdicts) {
  return fmt::format("{:<20} {:>8} {:>10} {:>10} {:>10} {:>10}\n", name, verdicts.pairs(),
                     verdicts.accepted_right, verdicts.accepted_wrong, verdicts.right_rejected,
                     verdicts.wrong_rejected);
}

std::string verdict_lines(const PoseEvaluation& evaluation) {
  std::string text = fmt::format(
      "{:<20} {:>8} {:^21} {:^21}\n{:<20} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "", "",
      "accepted and", "rejected and", "kind", "pairs", "right", "wrong", "right", "wrong");
  if (evaluation.kinds.size() > 1)
    for (const auto& [name, verdicts] : evaluation.kinds) text += line_of(name, verdicts);
  return text + line_of("all", evaluation.verdicts);
}

std::string class_lines(const PoseEvaluation& evaluation) {
  constexpr std::size_t kMost = 24;  // lines that a person reads
  if (evaluation.classes.size() < 2) return "";
  std::vector<const std::pair<const std::string, PoseFigures>*> worst_first;
  for (const auto& entry : evaluation.classes) worst_first.push_back(&entry);
  std::ranges::stable_sort(worst_first, {},
                           [](const auto* entry) { return entry->second.rotation.within_5deg; });
  std::string text = "\nby class, the worst first\n";
  for (std::size_t i = 0; i < std::min(kMost, worst_first.size()); ++i)
    text += line_of(fmt::format("{:.14} ({})", worst_first[i]->first,
                                evaluation.class_sizes.at(worst_first[i]->first)),
                    worst_first[i]->second);
  if (worst_first.size() > kMost)
    text += fmt::format("… and {} classes more, see --json\n", worst_first.size() - kMost);
  return text;
}

}  // namespace

void to_json(json& result, const PoseEvaluation& evaluation) {
  const auto pairs = static_cast<std::int64_t>(evaluation.rows.size());
  result = as_json(evaluation.figures);
  result["pairs"] = pairs;
  result["rejected"] = evaluation.rejected;
  result["accepted"] = 1.0 - static_cast<double>(evaluation.rejected) / static_cast<double>(pairs);
  result["accepted_right"] = evaluation.accepted_right;
  result["verdicts"] = as_json(evaluation.verdicts);
  result["kinds"] = json::object();
  for (const auto& [name, verdicts] : evaluation.kinds) result["kinds"][name] = as_json(verdicts);
  result["nees"] = evaluation.consistency ? as_json(*evaluation.consistency) : json(nullptr);
  result["if_all_accepted"] = as_json(evaluation.if_all_accepted);
  result["search_only"] = evaluation.search_only ? json(*evaluation.search_only) : json(nullptr);
  result["ms_per_pair"] = as_json(evaluation, evaluation.mean_ms);
  result["classes"] = json::object();
  for (const auto& [name, figures] : evaluation.classes) {
    result["classes"][name] = as_json(figures);
    result["classes"][name]["pairs"] = evaluation.class_sizes.at(name);
  }
}

void to_json(json& result, const PairResult& row) {
  result = {{"name", row.name},
            {"kind", row.kind},
            {"class", row.class_name},
            {"accepted", row.accepted},
            {"reason", row.reason},
            {"rotation_deg", number(row.rotation_deg)},
            {"translation", number(row.translation)},
            {"surface_distance", number(row.surface_distance)},
            {"surface_ok", row.surface_ok},
            {"centre_offset", number(row.centre_offset)},
            {"mssd", number(row.mssd)},
            {"right", row.right},
            {"nees", number(row.nees)},
            {"features", features_of(row.evidence)},
            {"weights", weights_of(row.evidence)},
            {"confidence", number(row.confidence)},
            {"evidence", row.evidence},
            {"residual", number(row.residual)},
            {"relative_residual", number(2.0 * row.residual / row.diameter)},
            {"modes", row.modes},
            {"ms", row.total_ms},
            {"cpu_ms", row.cpu_ms}};
  result["search_deg"] = row.searched
                             ? json(row.searched->angularDistance(row.truth) * kDegreesPerRadian)
                             : json(nullptr);
}

std::string rows_as_lines(const std::vector<PairResult>& rows) {
  std::string text;
  for (const PairResult& row : rows)
    text += json(row).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  return text;
}

std::string to_text(const PoseEvaluation& evaluation) {
  const auto pairs = static_cast<std::int64_t>(evaluation.rows.size());
  const std::int64_t accepted = pairs - evaluation.rejected;
  std::string text = fmt::format(
      "{} pairs, {} accepted ({:.1f} %), of these right: {:.1f} %\n\n{}\n"
      "rotation error          mean°  median°     max°   <5° %  <15° %  surface %  translation\n",
      pairs, accepted, 100.0 * static_cast<double>(accepted) / static_cast<double>(pairs),
      100.0 * evaluation.accepted_right, verdict_lines(evaluation));
  text += line_of("all pairs", evaluation.figures);
  if (evaluation.rejected > 0) text += line_of("if all accepted", evaluation.if_all_accepted);
  if (evaluation.search_only) text += line_of("search alone", *evaluation.search_only) + "\n";
  if (evaluation.rejected > 0)
    text += "(a rejected pair counts as 180° and one diameter off, and not on the surface)\n";
  text += "(right: within 5° and the centre within 5 % of the radius, or so up to a symmetry)\n";
  if (evaluation.consistency)
    text += fmt::format(
        "covariance: NEES {:.1f} over {} right answers, consistent in [{:.1f}, {:.1f}]\n",
        evaluation.consistency->mean_nees, evaluation.consistency->pairs,
        evaluation.consistency->low, evaluation.consistency->high);
  text += class_lines(evaluation);
  return text + "\n" + times_line(evaluation);
}

}  // namespace pointpng
