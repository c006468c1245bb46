#include "cli/study.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "cli/output.h"
#include "cli/sensitivity_options.h"
#include "eval/classification.h"
#include "eval/sensitivity.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "report/format.h"
#include "train/labelled.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kLeftOut = 5;  // every fifth shape is measured on

struct StudyData {
  ShapeSet train, test;
};

StudyData load_data(const StudyOptions& options, const RunPlan& plan) {
  StudyData data;
  data.train = load_sources(plan.data, plan.load);
  if (options.test.empty())
    data.test = take_every(data.train, plan.left_out);
  else
    data.test = load_sources(options.test, plan.load);
  if (data.test.shapes.empty() || data.train.shapes.size() < 2)
    throw InputError(fmt::format(
        "{} shapes are too few to train on some and measure on others; give more, or --test",
        data.train.shapes.size()));
  return data;
}

/// Refuses shapes that can't be trained on or measured before anything is written.
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

/// Everything that determines a study's figures but the seeds: a folder holds one such thing.
json study_settings(const StudyOptions& options, const std::vector<StudyVariant>& variants) {
  json plans = json::object();
  for (const StudyVariant& variant : variants) {
    plans[variant.name] = {{"plan", plan_as_json(variant.plan)}};
    if (variant.before) plans[variant.name]["before"] = plan_as_json(*variant.before);
  }
  const SensitivityConfig& measured = options.measured;
  return {{"test", options.test},
          {"seed", options.seed},
          {"measured",
           {measured.pairs, measured.shapes, measured.views, measured.probe.shapes,
            measured.probe.steps}},
          {"variants", plans}};
}

/// Refuses a folder of another study; of the same one, variants may come and go.
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

RunResult train(const RunPlan& plan, const fs::path& folder, const StudyOptions& options) {
  return fs::exists(folder / "config.json")
             ? resume_run(plan.command, folder, options.compute, options.output.quiet)
             : start_run(plan, folder, options.compute, options.output.quiet);
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

/// Share of the shapes that a head on the frozen encoder names right, learnt and asked in any pose.
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

/// The figures of a run that was measured before; nothing where there are none.
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
std::optional<std::map<std::string, double>> one_run(const StudyOptions& options,
                                                     const StudyVariant& variant,
                                                     std::uint64_t seed, const StudyData& data) {
  const fs::path folder = run_folder(options.out, variant, seed), kept = folder / "figures.json";
  if (auto stored = stored_figures(kept)) return stored;
  RunPlan plan = variant.plan;
  plan.train.seed = seed;
  if (variant.before) {
    RunPlan before = *variant.before;
    before.train.seed = seed;
    const fs::path encoder = folder.string() + "_mae";
    const RunResult made = train(before, encoder, options);
    if (made.end == TrainEnd::kStopped) return std::nullopt;
    plan.init = made.result;
  }
  const RunResult result = train(plan, folder, options);
  if (result.end == TrainEnd::kStopped) return std::nullopt;
  const torch::Device device = apply(options.compute);
  const LoadedModel loaded = load_model(result.result, device);
  auto figures = figures_of(
      measure_sensitivity(*loaded.model, data.test, &data.train, options.measured, options.seed),
      *loaded.model);
  if (is_labelled(data))
    figures["accuracy"] = accuracy_of(*loaded.model, data, options.seed, device);
  write_file_atomically(kept, json(figures).dump(2) + "\n");
  return figures;
}

std::vector<Fact> facts_of(const StudyOptions& options, const StudyData& data,
                           const RunPlan& plan) {
  const SensitivityConfig& measured = options.measured;
  return {
      {"trained on",
       fmt::format("{} shapes of {}", data.train.shapes.size(), fmt::join(options.data, ", "))},
      {"measured on",
       fmt::format("{} other shapes{}", data.test.shapes.size(),
                   options.test.empty() ? ": every fifth of them"
                                        : fmt::format(" of {}", fmt::join(options.test, ", ")))},
      {"preset", plan.preset},
      {"budget of a run",
       options.minutes ? fmt::format("{} minutes", *options.minutes)
                       : fmt::format("{} steps of {} shapes", plan.train.steps, plan.train.batch)},
      {"seeds", fmt::format("{} to {}", options.seed,
                            options.seed + static_cast<std::uint64_t>(options.seeds) - 1)},
      {"PA, AE, error", fmt::format("{} pairs, Algorithm 1 with {} starts of {} steps",
                                    measured.pairs, measured.search.starts, measured.search.steps)},
      {"MRR, H@k", fmt::format("{} shapes, {} views each", measured.shapes, measured.views)},
      {"R²", fmt::format("{} hidden, {} steps, {} shapes of {} views", measured.probe.hidden,
                         measured.probe.steps, measured.probe.shapes, measured.probe.views)}};
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
  config.search.starts = 8;
  config.search.steps = 50;
  return config;
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

void add_study_options(Command command, StudyOptions& options) {
  command
      .add_option("--data", options.data,
                  "Shapes to train on, as for 'pretrain'; may be given several times")
      .required();
  command.add_option("--test", options.test,
                     "Shapes to measure on; where not given, every fifth of --data is kept back");
  command.add_option("--topic", options.topic, "PointCloud2 topic of a bag that has several");
  command.add_option("--out", options.out, "Folder of runs and results; to go on, give it again")
      .required();
  command.add_option("--seeds", options.seeds, "How many seeds each variant is trained with")
      .range(1, 1000)
      .show_default();
  const Option steps = command.add_option("--steps", options.steps, "Steps of each run")
                           .range(1, 100000000)
                           .show_default();
  command
      .add_option("--minutes", options.minutes,
                  "Train each run for this long instead (then no two tables are quite the same)")
      .positive()
      .excludes(steps);
  command.add_option("--preset", options.preset, "tiny, small or paper").show_default();
  command.add_option("--backbone", options.backbone, "transformer (the paper's) or equivariant");
  command.add_option(
      "--set", options.settings,
      "Any other setting of all runs, as train.batch=32; may be given several times");
  add_sensitivity_options(command, options.measured);
  add_seed_option(command, options.seed);
  add_compute_options(command, options.compute);
  add_output_options(command, options.output);
}

RunPlan study_plan(const StudyOptions& options) {
  const Preset start = preset(options.preset);
  RunPlan plan;
  plan.command = "pretrain";
  plan.preset = options.preset;
  plan.model = start.model;
  plan.train = start.train;
  plan.model.backbone = options.backbone.value_or("transformer");
  plan.model.predictor = "cope";
  plan.train.loss.pseudo_negatives = preset("paper").train.loss.pseudo_negatives;
  plan.train.loss.near_negatives = preset("paper").train.loss.near_negatives;
  plan.data = options.data;
  plan.load.topic = options.topic;
  plan.load.seed = options.seed;
  plan.held_out = 0.0;
  plan.left_out = options.test.empty() ? kLeftOut : 0;
  if (options.minutes)
    plan.train.minutes = *options.minutes;
  else
    plan.train.steps = options.steps;
  for (const std::string& setting : options.settings) override_setting(plan, setting);
  return plan;
}

bool train_and_measure(const StudyOptions& options, const std::vector<StudyVariant>& variants,
                       Study& study) {
  for (const StudyVariant& variant : variants) {
    validate(variant.plan.model);
    validate(variant.plan.train);
    study.variants.push_back(variant.name);
  }
  const StudyData data = load_data(options, variants.front().plan);
  require_usable(data, variants.front().plan);
  study.columns = sensitivity_columns();
  if (is_labelled(data))
    study.columns.push_back({"accuracy", "SO(3)/SO(3)", 3,
                             "Classification with an MLP on the frozen encoder, trained and tested "
                             "in any pose: share of the shapes that is named right."});
  study.facts = facts_of(options, data, variants.front().plan);
  claim_folder(options.out, study_settings(options, variants));
  const auto runs = static_cast<std::int64_t>(variants.size()) * options.seeds;
  std::int64_t run = 0;
  for (std::int64_t i = 0; i < options.seeds; ++i)
    for (const StudyVariant& variant : variants) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
      remark(fmt::format("run {} of {}: {}, seed {}", ++run, runs, variant.name, seed));
      const auto figures = one_run(options, variant, seed, data);
      if (!figures) return false;
      study.rows.push_back({variant.name, seed, *figures});
    }
  return true;
}

void publish(const Study& study, const fs::path& out, const OutputOptions& output,
             const json& more) {
  json result = study_json(study);
  result.update(more);
  write_file_atomically(out / "study.json", result.dump(2) + "\n");
  write_file_atomically(out / "study.csv", study_csv(study));
  write_file_atomically(out / "study.html", study_page(study));
  result["page"] = (out / "study.html").string();
  output.json ? print_json(result)
              : print_text(study_text(study) + fmt::format("{}\n", (out / "study.html").string()));
}

Outcome stopped(const StudyOptions& options, const Study& study) {
  if (options.output.json)
    print_json({{"finished", false}, {"runs_done", study.rows.size()}, {"command", study.command}});
  else
    print_text(fmt::format("stopped; everything is saved. Go on with:\n  {}\n", study.command));
  return Outcome::kNoResult;
}

std::string study_command(const std::string& what, const StudyOptions& options) {
  std::string line = "pointpng eval " + what;
  const auto add = [&](const char* name, const std::string& value) {
    line += fmt::format(" --{} {}", name, shell_quoted(value));
  };
  for (const std::string& source : options.data) add("data", source);
  for (const std::string& source : options.test) add("test", source);
  if (!options.topic.empty()) add("topic", options.topic);
  add("out", options.out.string());
  add("preset", options.preset);
  if (options.backbone) add("backbone", *options.backbone);
  if (options.minutes)
    add("minutes", fmt::format("{}", *options.minutes));
  else
    add("steps", fmt::format("{}", options.steps));
  add("seeds", fmt::format("{}", options.seeds));
  add("seed", fmt::format("{}", options.seed));
  const SensitivityConfig usual = study_sensitivity();
  const auto add_unusual = [&](const char* name, std::int64_t value, std::int64_t usual_value) {
    if (value != usual_value) add(name, fmt::format("{}", value));
  };
  add_unusual("pairs", options.measured.pairs, usual.pairs);
  add_unusual("shapes", options.measured.shapes, usual.shapes);
  add_unusual("views", options.measured.views, usual.views);
  add_unusual("probe-shapes", options.measured.probe.shapes, usual.probe.shapes);
  add_unusual("probe-steps", options.measured.probe.steps, usual.probe.steps);
  for (const std::string& setting : options.settings) add("set", setting);
  return line;
}

}  // namespace pointpng::cli
