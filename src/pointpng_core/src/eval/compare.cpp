#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eval/study.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using nlohmann::json;

/// A method: its loss and its predictor, on any backbone.
struct Method {
  std::string_view name, objective, predictor;
};
constexpr std::array kMethods = {Method{"pointpng", "pointpng", "cope"},
                                 Method{"pointpng-wigner", "pointpng", "wigner"},
                                 Method{"sie", "sie", "sie"},
                                 Method{"sen", "sen", "sen"},
                                 Method{"equimod", "equimod", "equimod"},
                                 Method{"simclr", "simclr", "identity"}};

/// From the paper's tables: rotation sensitivity decreases from the first to the last.
constexpr std::array<std::string_view, 3> kPapersOrder = {"pointpng", "sie", "equimod"};

StudyVariant variant_of(const std::string& name, const RunPlan& base) {
  const auto method = std::find_if(kMethods.begin(), kMethods.end(),
                                   [&](const Method& known) { return known.name == name; });
  if (method == kMethods.end()) {
    throw InputError(fmt::format("there is no method '{}'; there are: {}", name,
                                 fmt::join(method_names(), ", ")));
  }
  StudyVariant variant{name, base, std::nullopt};
  variant.plan.train.objective = method->objective;
  variant.plan.model.predictor = method->predictor;
  // Half of SIE's representation is invariant, as in its paper.
  if (method->predictor == "sie") variant.plan.model.sie_invariant = base.model.embedding / 2;
  return variant;
}

std::vector<StudyVariant> variants_of(const StudyConfig& config,
                                      const std::vector<std::string>& methods) {
  const RunPlan base = study_plan(config);
  std::vector<StudyVariant> variants;
  for (const std::string& name : methods) {
    const bool twice = std::any_of(variants.begin(), variants.end(),
                                   [&](const StudyVariant& known) { return known.name == name; });
    if (twice) throw InputError(fmt::format("the method '{}' is named twice", name));
    variants.push_back(variant_of(name, base));
  }
  return variants;
}

/// Whether each of some values is larger than the next.
bool falls(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(),
                            [](double one, double next) { return one <= next; }) == values.end();
}

/// Tests the paper's order in one metric, in the mean and with every seed.
json test_order(Study& study, const StudyColumn& column) {
  std::vector<double> means;
  std::vector<std::string> told;
  for (const std::string_view method : kPapersOrder) {
    const auto spread = spread_of(study, std::string(method), column.key);
    if (!spread) return nullptr;
    means.push_back(spread->mean);
    told.push_back(fmt::format("{} {:.3f}", method, spread->mean));
  }
  std::int64_t seeds = 0, held = 0;
  for (const StudyRow& first : study.rows) {
    if (first.variant != kPapersOrder.front()) continue;
    std::vector<double> values;
    for (const std::string_view method : kPapersOrder)
      for (const StudyRow& row : study.rows)
        if (row.variant == method && row.seed == first.seed)
          values.push_back(row.figures.at(column.key));
    ++seeds;
    held += falls(values) ? 1 : 0;
  }
  const bool holds = falls(means);
  study.remarks.push_back(fmt::format(
      "The paper's order in {} (pointpng above sie above equimod) {}: {}; it holds with {} of {} "
      "seeds.",
      column.label, holds ? "holds in the mean" : "does not hold at this scale",
      fmt::join(told, ", "), held, seeds));
  return {{"holds", holds}, {"seeds", seeds}, {"seeds_that_hold", held}};
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& known : kMethods) names.emplace_back(known.name);
  return names;
}

std::vector<std::string> default_methods() {
  return {"pointpng", "sie", "sen", "equimod", "simclr"};
}

Study compare_methods(const StudyConfig& config, const std::vector<std::string>& methods,
                      const RunHooks& hooks) {
  Study study;
  study.title = "Methods compared";
  study.varied = "method";
  study.command = config.command;
  const std::vector<StudyVariant> variants = variants_of(config, methods);
  study.summary = fmt::format(
      "Losses and predictors on one backbone ({}), the same data, steps and seeds; measured on "
      "shapes that no run was trained on.",
      variants.front().plan.model.backbone);
  train_and_measure(config, variants, study, hooks);
  if (!study.finished) return study;
  json order = json::object();
  for (const StudyColumn& column : study.columns)
    if (column.key == "r2" || column.key == "mrr")
      if (const json tested = test_order(study, column); !tested.is_null())
        order[column.key] = tested;
  study.findings["papers_order"] = order;
  return study;
}

}  // namespace pointpng
