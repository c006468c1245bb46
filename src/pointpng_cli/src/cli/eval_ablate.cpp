#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/study.h"
#include "eval/equivariance.h"
#include "eval/view_embeddings.h"
#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;

struct AblateOptions {
  StudyOptions study;
  std::string name, model;
};

using Change = std::function<void(StudyVariant&)>;

StudyVariant changed(const std::string& name, const RunPlan& base, const Change& change) {
  StudyVariant variant{name, base, std::nullopt};
  change(variant);
  return variant;
}

/// Variants that differ in one number.
template <typename Number>
std::vector<StudyVariant> numbered(const RunPlan& base, Study& study,
                                   const std::vector<Number>& values,
                                   const std::function<void(RunPlan&, Number)>& set) {
  std::vector<StudyVariant> variants;
  for (const Number value : values) {
    const std::string name = fmt::format("{}", value);
    study.places[name] = static_cast<double>(value);
    variants.push_back(changed(name, base, [&](StudyVariant& v) { set(v.plan, value); }));
  }
  return variants;
}

// ---- the paper's

std::vector<StudyVariant> negatives(const RunPlan& base, Study& study) {
  return numbered<std::int64_t>(base, study, {4, 8, 16, 32}, [](RunPlan& plan, std::int64_t m) {
    plan.train.loss.pseudo_negatives = m;
    plan.train.loss.near_negatives = 0;
  });
}

std::vector<StudyVariant> beta(const RunPlan& base, Study& study) {
  return numbered<double>(base, study, {0.0, 0.3, 0.5, 0.7, 0.9},
                          [](RunPlan& plan, double value) { plan.train.loss.beta = value; });
}

std::vector<StudyVariant> masking(const RunPlan& base, Study& study) {
  return numbered<double>(base, study, {0.0, 0.3, 0.6, 0.8},
                          [](RunPlan& plan, double ratio) { plan.train.mask_ratio = ratio; });
}

/// Masked autoencoding takes as long again as what follows it.
std::vector<StudyVariant> init(const RunPlan& base, Study&) {
  constexpr double kMaskRatio = 0.6;
  RunPlan autoencoding = base;
  autoencoding.command = "mae";
  autoencoding.train.objective = "mae";
  autoencoding.train.mask_ratio = kMaskRatio;
  return {{"none", base, std::nullopt}, {"mae", base, autoencoding}};
}

std::vector<StudyVariant> predictor(const RunPlan& base, Study&) {
  std::vector<StudyVariant> variants;
  for (const char* name : {"cope", "sie", "wigner"})
    variants.push_back(
        changed(name, base, [&](StudyVariant& v) { v.plan.model.predictor = name; }));
  return variants;
}

// ---- ours

std::vector<StudyVariant> backbone(const RunPlan& base, Study&) {
  std::vector<StudyVariant> variants;
  for (const char* trunk : {"transformer", "equivariant"})
    for (const char* turn : {"cope", "wigner"})
      variants.push_back(changed(fmt::format("{} + {}", trunk, turn), base, [&](StudyVariant& v) {
        v.plan.model.backbone = trunk;
        v.plan.model.predictor = turn;
      }));
  return variants;
}

/// An ablation that trains, or one of the search with a model that is there.
struct Ablation {
  std::string_view name, varied, summary;
  std::vector<StudyVariant> (*variants)(const RunPlan&, Study&);
  void (*set)(SearchConfig&, std::int64_t) = nullptr;
  std::vector<std::int64_t> values = {};
};

const std::vector<Ablation>& ablations() {
  static const std::vector<Ablation> all = {
      {"negatives", "M", "The number of pseudo-negatives, all uniform as in the paper.", negatives},
      {"beta", "beta",
       "The weight β of L_cope against L_unif; in the paper 0 collapses (AE 0) and 0.3 is best.",
       beta},
      {"init", "initialisation",
       "The encoder initialised by masked autoencoding, for as long again, or not at all.", init},
      {"predictor", "predictor", "COPE beside SIE's hypernetwork and the Wigner matrices.",
       predictor},
      {"masking", "masking ratio", "The share of the patches that are hidden in training.",
       masking},
      {"backbone", "backbone + predictor", "The paper's backbone and ours, with either predictor.",
       backbone},
      {"grid",
       "grid",
       "Rotations that the search tries before it polishes.",
       nullptr,
       [](SearchConfig& search, std::int64_t size) { search.grid = size; },
       {64, 128, 256, 512, 1024, 2048, 4096}},
      {"hypotheses",
       "K",
       "Distinct rotations that the search returns; the best of them counts.",
       nullptr,
       [](SearchConfig& search, std::int64_t k) { search.hypotheses = k; },
       {1, 2, 3, 4, 6, 8}}};
  return all;
}

std::vector<std::string> ablation_names() {
  std::vector<std::string> names;
  for (const Ablation& ablation : ablations()) names.emplace_back(ablation.name);
  return names;
}

const Ablation& find_ablation(const std::string& name) {
  for (const Ablation& ablation : ablations())
    if (ablation.name == name) return ablation;
  throw InputError(fmt::format("there is no ablation '{}'; there are: {}", name,
                               fmt::join(ablation_names(), ", ")));
}

/// Errors of the best of the hypotheses of each pair, in degrees, [P].
torch::Tensor best_errors(const Hypotheses& found, const torch::Tensor& truth) {
  const auto angles = rotation::angle(found.rotations.cpu().to(torch::kFloat64),
                                      truth.unsqueeze(1).to(torch::kFloat64));
  return std::get<0>(angles.min(1)) * (180.0 / std::numbers::pi);
}

/// The same embeddings of held-out pairs, searched in different ways.
void measure_search(const AblateOptions& options, const Ablation& ablation, Study& study) {
  const fs::path file = find_model(options.model);
  const LoadedModel loaded = load_model(file, apply(options.study.compute));
  const ShapeSet shapes = load_sources(options.study.data, {});
  if (fs::exists(options.study.out) && !fs::is_directory(options.study.out))
    throw InputError(fmt::format("{} is a file, not a folder", options.study.out.string()));
  study.columns = {{"rotation_deg", "error °", 2, "Mean rotation error in degrees."},
                   {"median_deg", "median °", 2, "Median rotation error in degrees."},
                   {"within_5deg", "< 5°", 3, "Share of the pairs within 5 degrees."},
                   {"within_15deg", "< 15°", 3, "Share of the pairs within 15 degrees."}};
  study.facts = {{"model", file.string()},
                 {"pairs", fmt::format("{} a seed", options.study.measured.pairs)},
                 {"shapes", fmt::format("{} of {}", shapes.shapes.size(),
                                        fmt::join(options.study.data, ", "))}};
  for (const std::int64_t value : ablation.values) {
    study.variants.push_back(fmt::format("{}", value));
    study.places[study.variants.back()] = static_cast<double>(value);
  }
  const torch::NoGradGuard no_grad;
  for (std::int64_t i = 0; i < options.study.seeds; ++i) {
    const std::uint64_t seed = options.study.seed + static_cast<std::uint64_t>(i);
    const TurnedPairs pairs =
        turned_pairs(shapes, loaded.model->config(), options.study.measured.pairs, seed);
    const torch::Tensor source = embed_all(*loaded.model, pairs.source),
                        target = embed_all(*loaded.model, pairs.target);
    for (const std::int64_t value : ablation.values) {
      SearchConfig config{.hypotheses = 1};
      ablation.set(config, value);
      const torch::Tensor errors =
          best_errors(search(*loaded.model, source, target, config), pairs.rotation);
      const auto share_below = [&](double bound) {
        return (errors < bound).to(torch::kFloat64).mean().item<double>();
      };
      study.rows.push_back({fmt::format("{}", value),
                            seed,
                            {{"rotation_deg", errors.mean().item<double>()},
                             {"median_deg", torch::quantile(errors, 0.5).item<double>()},
                             {"within_5deg", share_below(5.0)},
                             {"within_15deg", share_below(15.0)}}});
    }
  }
  fs::create_directories(options.study.out);
}

Outcome ablate(const AblateOptions& options) {
  apply(options.study.output);
  const Ablation& ablation = find_ablation(options.name);
  Study study;
  study.title = fmt::format("Ablation: {}", ablation.name);
  study.varied = ablation.varied;
  study.summary = ablation.summary;
  study.command = study_command(fmt::format("ablate {}", ablation.name), options.study);
  if (ablation.set != nullptr) {
    if (!options.model.empty()) study.command += " --model " + options.model;
    measure_search(options, ablation, study);
  } else {
    const std::vector<StudyVariant> variants = ablation.variants(study_plan(options.study), study);
    if (!train_and_measure(options.study, variants, study)) return stopped(options.study, study);
  }
  publish(study, options.study.out, options.study.output, {{"ablation", ablation.name}});
  return Outcome::kDone;
}

}  // namespace

void add_eval_ablate(Command parent) {
  const auto options = std::make_shared<AblateOptions>();
  Command command = add_command(
      command_group(parent, "eval", "Measure a model"), "ablate",
      "What a part is worth: the same training, or the same search, with one thing varied.",
      {{"eval ablate beta --data shapes.h5 --test test.h5 --out beta --steps 2000",
        "the weight of L_cope; 0 collapses"},
       {"eval ablate predictor --data shapes.h5 --out predictors --seeds 1",
        "COPE, SIE's hypernetwork, Wigner matrices"},
       {"eval ablate grid --model object --data test.h5 --out grid",
        "the grid of the search, with a model that is there"}});
  command
      .add_option("NAME", options->name,
                  fmt::format("What is varied: {}", fmt::join(ablation_names(), ", ")))
      .required();
  command.add_option("--model", options->model,
                     "For 'grid' and 'hypotheses': a model.safetensors or the name of a shipped "
                     "model [object]");
  add_study_options(command, options->study);
  on_run(command, [options] { return ablate(*options); });
}

}  // namespace pointpng::cli
