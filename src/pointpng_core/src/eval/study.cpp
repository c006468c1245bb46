#include "eval/study.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "eval/classification.h"
#include "eval/sensitivity.h"
#include "model/device.h"
#include "pointpng/error.h"
#include "train/equivariance.h"
#include "train/labelled.h"
#include "train/run_data.h"
#include "train/run_plan.h"
#include "train/weights.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kLeftOut = 5;  // every fifth shape is held out

struct StudyData {
  ShapeSet train, test;
};

StudyData load_data(const StudyConfig& config, const RunPlan& plan, const OnMessage& on_message) {
  StudyData data;
  data.train = load_sources(plan.data, plan.load, on_message);
  if (config.test.empty())
    data.test = take_every(data.train, plan.left_out);
  else
    data.test = load_sources(config.test, plan.load, on_message);
  if (data.test.shapes.empty() || data.train.shapes.size() < 2)
    throw InputError(fmt::format(
        "{} shapes are too few to train on some and measure on others; give more, or --test",
        data.train.shapes.size()));
  return data;
}

/// Rejects shapes that can't be trained on or measured, before anything is written.
void require_usable(const StudyData& data, const RunPlan& plan) {
  const PairSource source(data.train, plan.model, plan.train);
  turned_pairs(data.test, plan.model, static_cast<std::int64_t>(data.test.shapes.size()), 0);
}

/// A name as part of a folder's name.
std::string as_file_name(std::string name) {
  for (char& character : name)
    if (std::isalnum(static_cast<unsigned char>(character)) == 0 && character != '.' &&
        character != '-')
      character = '_';
  return name;
}

fs::path run_folder(const fs::path& out, const StudyVariant& variant, std::uint64_t seed) {
  return out / "runs" / fmt::format("{}_seed{}", as_file_name(variant.name), seed);
}

/// Everything except the seeds that determines a study's results: one per folder.
json study_settings(const StudyConfig& config, const std::vector<StudyVariant>& variants) {
  json plans = json::object();
  for (const StudyVariant& variant : variants) {
    plans[variant.name] = {{"plan", plan_as_json(variant.plan)}};
    if (variant.before) plans[variant.name]["before"] = plan_as_json(*variant.before);
  }
  const SensitivityConfig& measured = config.measured;
  return {{"test", config.test},
          {"seed", config.seed},
          {"measured",
           {measured.pairs, measured.shapes, measured.views, measured.probe.shapes,
            measured.probe.steps}},
          {"variants", plans}};
}

/// Rejects the folder of a different study; variants of the same one may be added or removed.
void claim_folder(const fs::path& out, json settings) {
  const fs::path file = out / "settings.json";
  if (fs::exists(file)) {
    const json stored = json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
    const bool readable = stored.is_object() && stored.contains("variants");
    bool same = readable;
    for (const char* part : {"test", "seed", "measured"})
      same = same && stored.value(part, json()) == settings[part];
    if (same)
      for (const auto& [name, plan] : stored["variants"].items()) {
        same = same && (!settings["variants"].contains(name) || settings["variants"][name] == plan);
        settings["variants"][name] = plan;
      }
    if (!same)
      throw InputError(
          fmt::format("{} holds a study with other settings; give another --out", out.string()));
  } else if (fs::exists(out) && (!fs::is_directory(out) || !fs::is_empty(out))) {
    throw InputError(
        fmt::format("{} is there already and holds no study; give another --out", out.string()));
  }
  std::error_code failure;
  fs::create_directories(out, failure);
  if (failure)
    throw InputError(fmt::format("can't make the folder {}: {}", out.string(), failure.message()));
  write_file_atomically(file, settings.dump(2) + "\n");
}

RunResult start_or_resume(const RunPlan& plan, const fs::path& folder, const StudyConfig& config,
                          const RunHooks& hooks) {
  return fs::exists(folder / "config.json")
             ? resume_run(plan.command, folder, config.compute, hooks)
             : start_run(plan, folder, config.compute, hooks);
}

std::set<std::string> used_classes(const ShapeSet& set) {
  std::set<std::string> used;
  for (const Shape& shape : set.shapes)
    used.insert(shape.label < 0 ? "" : set.class_names.at(static_cast<std::size_t>(shape.label)));
  return used;
}

/// Whether every shape has a label, and those to measure on have none that training lacks.
bool is_labelled(const StudyData& data) {
  const auto train = used_classes(data.train), test = used_classes(data.test);
  return train.size() > 1 && !train.contains("") &&
         std::includes(train.begin(), train.end(), test.begin(), test.end());
}

/// SO(3)/SO(3) accuracy of a head on the frozen encoder.
double accuracy_of(const Model& model, const StudyData& data, std::uint64_t seed,
                   torch::Device device) {
  FitConfig fit = default_fit("mlp");
  fit.probe.views = 2;
  fit.train.seed = seed;
  fit.train.classify.rotations = "so3";
  const ShapeSet train = with_used_classes(data.train, "the shapes to train on");
  const ShapeSet test = with_classes(data.test, train.class_names, "the shapes to measure on");
  const ClassifyTest shown{.rotations = "so3", .seed = seed};
  const FittedClassifier fitted = fit_classifier(model, train, fit, device);
  return confusion_of(class_shares(*fitted.classifier, test, shown), test).accuracy();
}

std::map<std::string, double> figures_of(const Sensitivity& measured, const Model& model) {
  std::map<std::string, double> figures = {
      {"pa", measured.equivariance.pa},
      {"ae", measured.equivariance.ae},
      {"mrr", measured.retrieval.mrr},
      {"h1", measured.retrieval.hit_1},
      {"h5", measured.retrieval.hit_5},
      {"rotation_deg", measured.equivariance.search.mean_deg},
      {"within_15deg", measured.equivariance.search.within_15deg},
      {"predictor_weights", static_cast<double>(count_weights(model, "predictor."))}};
  if (measured.probe) figures["r2"] = measured.probe->r2;
  return figures;
}

/// The metrics of a run that was measured before; nothing if there are none.
std::optional<std::map<std::string, double>> stored_figures(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  try {
    return json::parse(read_file(file)).get<std::map<std::string, double>>();
  } catch (const json::exception&) {
    throw InputError(
        fmt::format("{} is not what was written there; remove it and it is measured "
                    "again",
                    file.string()));
  }
}

/// Trains and measures one variant with one seed; nothing where the user stopped it.
std::optional<std::map<std::string, double>> one_run(const StudyConfig& config,
                                                     const StudyVariant& variant,
                                                     std::uint64_t seed, const StudyData& data,
                                                     const RunHooks& hooks) {
  const fs::path folder = run_folder(config.out, variant, seed), kept = folder / "figures.json";
  if (auto stored = stored_figures(kept)) return stored;
  RunPlan plan = variant.plan;
  plan.train.seed = seed;
  if (variant.before) {
    RunPlan before = *variant.before;
    before.train.seed = seed;
    const fs::path encoder = folder.string() + "_mae";
    const RunResult made = start_or_resume(before, encoder, config, hooks);
    if (made.end == TrainEnd::kStopped) return std::nullopt;
    plan.init = made.result;
  }
  const RunResult result = start_or_resume(plan, folder, config, hooks);
  if (result.end == TrainEnd::kStopped) return std::nullopt;
  const torch::Device device = use(config.compute);
  const LoadedModel loaded = load_model(result.result, device);
  auto figures = figures_of(
      measure_sensitivity(*loaded.model, data.test, &data.train, config.measured, config.seed),
      *loaded.model);
  if (is_labelled(data))
    figures["accuracy"] = accuracy_of(*loaded.model, data, config.seed, device);
  write_file_atomically(kept, json(figures).dump(2) + "\n");
  return figures;
}

std::vector<std::pair<std::string, std::string>> facts_of(const StudyConfig& config,
                                                          const StudyData& data,
                                                          const RunPlan& plan) {
  const SensitivityConfig& measured = config.measured;
  return {
      {"trained on",
       fmt::format("{} shapes of {}", data.train.shapes.size(), fmt::join(config.data, ", "))},
      {"measured on",
       fmt::format("{} other shapes{}", data.test.shapes.size(),
                   config.test.empty() ? ": every fifth of them"
                                       : fmt::format(" of {}", fmt::join(config.test, ", ")))},
      {"preset", plan.preset},
      {"budget of a run",
       config.minutes ? fmt::format("{} minutes", *config.minutes)
                      : fmt::format("{} steps of {} shapes", plan.train.steps, plan.train.batch)},
      {"seeds", fmt::format("{} to {}", config.seed,
                            config.seed + static_cast<std::uint64_t>(config.seeds) - 1)},
      {"PA, AE, error", fmt::format("{} pairs, Algorithm 1 with {} starts of {} steps",
                                    measured.pairs, measured.search_starts, measured.search_steps)},
      {"MRR, H@k", fmt::format("{} shapes, {} views each", measured.shapes, measured.views)},
      {"R²", fmt::format("{} hidden, {} steps, {} shapes of {} views", measured.probe.hidden,
                         measured.probe.steps, measured.probe.shapes, measured.probe.views)}};
}

std::vector<StudyColumn> sensitivity_columns() {
  return {
      {"pa", "PA", 3, "Predictor accuracy: cosine between u_g(z) and z⁺; 1 is perfect."},
      {"ae", "AE", 3,
       "Absolute equivariance: PA minus the cosine between z and z⁺; 0 is an invariant embedding."},
      {"r2", "R²", 3,
       "How much of the rotation between two views a three-layer MLP reads from their embeddings; "
       "1 is all."},
      {"mrr", "MRR", 3,
       "Mean reciprocal rank of the right view among 50 of the same shape, by similarity to what "
       "the predictor predicts; 1 is perfect."},
      {"h1", "H@1", 3, "Share of the queries whose right view comes first."},
      {"h5", "H@5", 3, "Share of the queries whose right view is among the first five."},
      {"rotation_deg", "error °", 1,
       "Mean rotation error of the search in degrees, without refinement; 126 is chance."},
      {"within_15deg", "< 15°", 3, "Share of the pairs that the search finds within 15 degrees."},
      {"predictor_weights", "weights of u_g", 0, "Trained numbers of the predictor."}};
}

}  // namespace

SensitivityConfig study_sensitivity() {
  SensitivityConfig config;
  config.pairs = 48;
  config.shapes = 60;
  config.probe.shapes = 200;
  config.probe.views = 12;
  config.probe.hidden = 256;
  config.probe.steps = 1500;
  config.search_starts = 8;
  config.search_steps = 50;
  return config;
}

RunPlan study_plan(const StudyConfig& config) {
  RunPlan plan = pretraining_plan("pretrain", config.preset);
  plan.model.backbone = config.backbone.value_or("transformer");
  plan.model.predictor = "cope";
  plan.train.loss.pseudo_negatives = preset("paper").train.loss.pseudo_negatives;
  plan.train.loss.near_negatives = preset("paper").train.loss.near_negatives;
  plan.data = config.data;
  plan.load.topic = config.topic;
  plan.load.seed = config.seed;
  plan.held_out = 0.0;
  plan.left_out = config.test.empty() ? kLeftOut : 0;
  if (config.minutes)
    plan.train.minutes = *config.minutes;
  else
    plan.train.steps = config.steps;
  for (const std::string& setting : config.settings) override_setting(plan, setting);
  return plan;
}

void train_and_measure(const StudyConfig& config, const std::vector<StudyVariant>& variants,
                       Study& study, const RunHooks& hooks) {
  for (const StudyVariant& variant : variants) {
    validate(variant.plan.model);
    validate(variant.plan.train);
    study.variants.push_back(variant.name);
  }
  const StudyData data = load_data(config, variants.front().plan, hooks.on_message);
  require_usable(data, variants.front().plan);
  study.columns = sensitivity_columns();
  if (is_labelled(data))
    study.columns.push_back({"accuracy", "SO(3)/SO(3)", 3,
                             "Classification with an MLP on the frozen encoder, trained and tested "
                             "in any pose: share of the shapes that is named right."});
  study.facts = facts_of(config, data, variants.front().plan);
  claim_folder(config.out, study_settings(config, variants));
  const auto runs = static_cast<std::int64_t>(variants.size()) * config.seeds;
  std::int64_t run = 0;
  for (std::int64_t i = 0; i < config.seeds; ++i)
    for (const StudyVariant& variant : variants) {
      const std::uint64_t seed = config.seed + static_cast<std::uint64_t>(i);
      if (hooks.on_message)
        hooks.on_message(Severity::kRemark,
                         fmt::format("run {} of {}: {}, seed {}", ++run, runs, variant.name, seed));
      const auto figures = one_run(config, variant, seed, data, hooks);
      if (!figures) {
        study.finished = false;
        return;
      }
      study.rows.push_back({variant.name, seed, *figures});
    }
}

}  // namespace pointpng
