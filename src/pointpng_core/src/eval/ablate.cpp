#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "eval/input.h"
#include "eval/study.h"
#include "model/search.h"
#include "pointpng/error.h"
#include "train/equivariance.h"
#include "train/rotation_error.h"
#include "train/view_embeddings.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

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

/// Masked autoencoding takes as many steps as the training after it.
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

/// An ablation that trains, or one of the search with an existing model.
struct Ablation {
  std::string_view name, varied, summary;
  std::vector<StudyVariant> (*variants)(const RunPlan&, Study&);
  void (*set)(RotationSearchConfig&, std::int64_t) = nullptr;
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
       [](RotationSearchConfig& search, std::int64_t size) {
         search.grid_size = static_cast<int>(size);
       },
       {64, 128, 256, 512, 1024, 2048, 4096}},
      {"hypotheses",
       "K",
       "Distinct rotations that the search returns; the best of them counts.",
       nullptr,
       [](RotationSearchConfig& search, std::int64_t k) {
         search.num_hypotheses = static_cast<int>(k);
       },
       {1, 2, 3, 4, 6, 8}}};
  return all;
}

const Ablation& find_ablation(const std::string& name) {
  for (const Ablation& ablation : ablations())
    if (ablation.name == name) return ablation;
  throw InputError(fmt::format("there is no ablation '{}'; there are: {}", name,
                               fmt::join(ablation_names(), ", ")));
}

/// Errors of the best of the hypotheses of each pair, in degrees, [P].
torch::Tensor best_errors(const Hypotheses& found, const torch::Tensor& truth) {
  return std::get<0>(rotation_errors_deg(found.rotations.cpu(), truth.unsqueeze(1)).min(1));
}

/// The same embeddings of held-out pairs, searched in different ways.
void measure_search(const StudyConfig& study_config, const Ablation& ablation, Study& study,
                    const OnMessage& on_message) {
  EvaluationInput input;
  input.model = study_config.model;
  input.data = study_config.data;
  input.compute = study_config.compute;
  const LoadedInput loaded = load_input(input, {on_message, nullptr});
  if (fs::exists(study_config.out) && !fs::is_directory(study_config.out))
    throw InputError(fmt::format("{} is a file, not a folder", study_config.out.string()));
  study.columns = {{"rotation_deg", "error °", 2, "Mean rotation error in degrees."},
                   {"median_deg", "median °", 2, "Median rotation error in degrees."},
                   {"within_5deg", "< 5°", 3, "Share of the pairs within 5 degrees."},
                   {"within_15deg", "< 15°", 3, "Share of the pairs within 15 degrees."}};
  study.facts = {{"model", loaded.file.string()},
                 {"pairs", fmt::format("{} per seed", study_config.measured.pairs)},
                 {"shapes", fmt::format("{} of {}", loaded.shapes.shapes.size(),
                                        fmt::join(study_config.data, ", "))}};
  for (const std::int64_t value : ablation.values) {
    study.variants.push_back(fmt::format("{}", value));
    study.places[study.variants.back()] = static_cast<double>(value);
  }
  const torch::NoGradGuard no_grad;
  for (std::int64_t i = 0; i < study_config.seeds; ++i) {
    const std::uint64_t seed = study_config.seed + static_cast<std::uint64_t>(i);
    const TurnedPairs pairs =
        turned_pairs(loaded.shapes, loaded.model->config(), study_config.measured.pairs, seed);
    const torch::Tensor source = embed_all(*loaded.model, pairs.source),
                        target = embed_all(*loaded.model, pairs.target);
    for (const std::int64_t value : ablation.values) {
      RotationSearchConfig config{.num_hypotheses = 1};
      ablation.set(config, value);
      const RotationErrors errors = summarise_errors(
          best_errors(search(*loaded.model, source, target, config), pairs.rotation));
      study.rows.push_back({fmt::format("{}", value),
                            seed,
                            {{"rotation_deg", errors.mean_deg},
                             {"median_deg", errors.median_deg},
                             {"within_5deg", errors.within_5deg},
                             {"within_15deg", errors.within_15deg}}});
    }
  }
  fs::create_directories(study_config.out);
}

}  // namespace

std::vector<std::string> ablation_names() {
  std::vector<std::string> names;
  for (const Ablation& ablation : ablations()) names.emplace_back(ablation.name);
  return names;
}

Study ablate(const StudyConfig& config, const std::string& name, const RunHooks& hooks) {
  const Ablation& ablation = find_ablation(name);
  Study study;
  study.title = fmt::format("Ablation: {}", ablation.name);
  study.varied = ablation.varied;
  study.summary = ablation.summary;
  study.command = config.command;
  study.findings["ablation"] = ablation.name;
  if (ablation.set != nullptr)
    measure_search(config, ablation, study, hooks.on_message);
  else
    train_and_measure(config, ablation.variants(study_plan(config), study), study, hooks);
  return study;
}

}  // namespace pointpng
