#include "eval/paper_plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace pointpng {
namespace {

using nlohmann::json;
using Results = std::vector<json>;

/// How much is measured; nothing else depends on the budget.
struct Amounts {
  std::int64_t pairs_per_class = 0, scene_pairs = 0, pairs = 0;
  std::int64_t shapes = 0, probe_shapes = 0, probe_steps = 0;  ///< of retrieval and R²
  std::vector<std::string> heads;                              ///< of classification
  bool studies = false;                                        ///< train the methods compared
};

const std::map<std::string, Amounts>& amounts() {
  static const std::map<std::string, Amounts> kAmounts = {
      {"quick", {10, 10, 100, 40, 200, 1500, {"linear", "mlp"}, false}},
      {"full", {100, 100, 1000, 100, 800, 6000, {"linear", "mlp", "finetune"}, true}}};
  return kAmounts;
}

const Amounts& amounts_of(const PaperInputs& inputs) { return amounts().at(inputs.config.budget); }

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string model_name(const PaperInputs& inputs) {
  return inputs.config.model.empty() ? "object"
                                     : std::filesystem::path(inputs.config.model).stem().string();
}

EvaluationInput input_of(const PaperInputs& inputs, const std::string& data) {
  EvaluationInput input;
  input.model = inputs.config.model;
  input.data = {data};
  input.seed = inputs.config.seed;
  input.compute = inputs.config.compute;
  return input;
}

constexpr const char* kNoTraining = "no shapes to train on were given (--train)";

/// What all rows have in common.
PlannedRow row_for(const PaperInputs& inputs, const std::string& table, std::string method) {
  PlannedRow row;
  row.table = table;
  row.method = std::move(method);
  row.data = file_name(inputs.config.data);
  row.seed = std::to_string(inputs.config.seed);
  return row;
}

// ---- classification

PaperMeasurement classify(const PaperInputs& inputs, const std::string& train,
                          const std::string& test, const std::string& protocol,
                          const std::string& head) {
  ClassificationMeasurement made{input_of(inputs, test), {}};
  made.config.train = {train};
  made.config.protocol = protocol;
  made.config.head = head;
  made.config.baseline = head == "finetune";
  return made;
}

std::string percent(const json& accuracy) {
  return fmt::format("{:.1f}", 100.0 * accuracy.get<double>());
}

/// z/z and SO(3)/SO(3) on the data, and SO(3)/SO(3) on ScanObjectNN where it was given.
PlannedRow classification_row(const PaperInputs& inputs, const std::string& head, bool baseline) {
  const std::string what = head == "finetune" ? "fine-tuned"
                           : head == "mlp"    ? "frozen encoder, MLP"
                                              : "frozen encoder, linear";
  PlannedRow row = row_for(inputs, "classification",
                           baseline ? "PointNet, supervised, for as long"
                                    : fmt::format("{}, {}", model_name(inputs), what));
  row.data = fmt::format("{} / {} ({} classes)", file_name(inputs.config.train),
                         file_name(inputs.config.data), inputs.class_names.size());
  row.budget = "as the command has it by default";
  row.remark =
      "Both columns of ModelNet40 are of these data here; the paper fine-tunes on ModelNet40.";
  if (inputs.config.train.empty()) row.not_run = kNoTraining;
  for (const char* protocol : {"z/z", "so3/so3"})
    row.measurements.push_back(
        classify(inputs, inputs.config.train, inputs.config.data, protocol, head));
  const bool scans = !inputs.config.scan_train.empty() && !inputs.config.scan_test.empty();
  if (scans)
    row.measurements.push_back(
        classify(inputs, inputs.config.scan_train, inputs.config.scan_test, "so3/so3", head));
  row.values = [baseline, scans](const Results& results) {
    std::vector<std::string> values;
    for (const json& result : results)
      values.push_back(percent(baseline ? result["baseline"]["accuracy"] : result["accuracy"]));
    if (!scans) values.emplace_back("–");
    return values;
  };
  return row;
}

// ---- poses

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The class of the data that is meant by a category of the paper's.
std::optional<std::string> class_like(const std::vector<std::string>& names,
                                      const std::string& category) {
  const auto found = std::ranges::find_if(
      names, [&](const std::string& name) { return lower(name) == lower(category); });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

const std::vector<std::string>& categories() {
  static const std::vector<std::string> kCategories = {"Airplane", "Bottle", "Car", "Chair",
                                                       "Sofa"};
  return kCategories;
}

/// "mean / max / median" of every category that the data have.
std::vector<std::string> pose_values(const json& result,
                                     const std::vector<std::string>& class_names) {
  std::vector<std::string> values;
  for (const std::string& category : categories()) {
    const auto name = class_like(class_names, category);
    if (!name || !result["classes"].contains(*name)) {
      values.emplace_back("–");
      continue;
    }
    const json& errors = result["classes"][*name]["rotation_deg"];
    values.push_back(fmt::format("{:.1f} / {:.1f} / {:.1f}", errors["mean"].get<double>(),
                                 errors["max"].get<double>(), errors["median"].get<double>()));
  }
  return values;
}

PlannedRow pose_row(const PaperInputs& inputs, const std::string& protocol, bool plain) {
  const std::int64_t each = amounts_of(inputs).pairs_per_class;
  const std::int64_t pairs = each * std::max<std::int64_t>(1, std::ssize(inputs.class_names));
  PlannedRow row =
      row_for(inputs, "pose",
              fmt::format("{}, {}, {}", model_name(inputs),
                          plain ? "embedding and search alone" : "whole estimator",
                          protocol == "same" ? "same points" : "two samples of the surface"));
  row.budget = fmt::format("{} pairs per class", each);
  row.remark =
      plain ? "As the paper estimates poses: one rotation from the embeddings, nothing refined. "
              "Unlike there, the model was not fine-tuned on these categories."
            : "With refinement and verification; a rejected pair counts as 180° off.";
  const bool any = std::ranges::any_of(categories(), [&](const std::string& category) {
    return class_like(inputs.class_names, category).has_value();
  });
  if (!any) row.not_run = "the data have none of the five categories";
  row.measurements = {
      PoseMeasurement{input_of(inputs, inputs.config.data), protocol, pairs, plain}};
  row.values = [names = inputs.class_names](const Results& results) {
    return pose_values(results[0], names);
  };
  return row;
}

PlannedRow scene_row(const PaperInputs& inputs) {
  const std::int64_t pairs = amounts_of(inputs).scene_pairs;
  PlannedRow row = row_for(inputs, "scenes", model_name(inputs) + ", whole estimator");
  row.data = file_name(inputs.config.scenes);
  row.budget = fmt::format("{} pairs of frames", pairs);
  row.remark =
      "Pairs of frames that see half of the same, rotated uniformly over SO(3); the paper rotates "
      "one "
      "cloud and samples it twice. A rejected pair counts as 180° off.";
  if (inputs.config.scenes.empty()) row.not_run = "no depth frames were given (--scenes)";
  row.measurements = {PoseMeasurement{input_of(inputs, inputs.config.scenes), "scene", pairs}};
  row.values = [](const Results& results) -> std::vector<std::string> {
    return {fmt::format("{:.1f}°", results[0]["rotation_deg"]["mean"].get<double>()),
            fmt::format("{:.0f} %", 100.0 * results[0]["success"]["5deg"].get<double>())};
  };
  return row;
}

// ---- sensitivity to rotation

std::string figure(const json& result, const char* name, int digits = 2) {
  return result.contains(name) && result[name].is_number()
             ? fmt::format("{:.{}f}", result[name].get<double>(), digits)
             : "–";
}

PaperMeasurement sensitivity(const PaperInputs& inputs) {
  const Amounts& much = amounts_of(inputs);
  SensitivityMeasurement made{input_of(inputs, inputs.config.data), {}, {}};
  if (!inputs.config.train.empty()) {
    made.train = {inputs.config.train};
    made.config.probe.shapes = much.probe_shapes;
    made.config.probe.steps = much.probe_steps;
  }
  made.config.pairs = much.pairs;
  made.config.shapes = much.shapes;
  return made;
}

std::string sensitivity_budget(const PaperInputs& inputs) {
  const Amounts& much = amounts_of(inputs);
  return fmt::format("{} pairs, views of {} shapes", much.pairs, much.shapes);
}

constexpr const char* kExact =
    "Equivariant by construction: what is missing to 1 is the difference of two samples of a "
    "surface.";

/// "β = 0.3" as the model's card has it.
std::string trained_with(const PaperInputs& inputs, const std::string& table) {
  const json loss = inputs.training.value("/train/loss"_json_pointer, json::object());
  if (table == "beta")
    return loss.contains("beta") ? fmt::format("β = {:g}", loss["beta"].get<double>())
                                 : "β unknown";
  if (!loss.contains("pseudo_negatives")) return "M unknown";
  return fmt::format("M = {}, and {} near ones", loss["pseudo_negatives"].get<std::int64_t>(),
                     loss.value("near_negatives", std::int64_t{0}));
}

/// PA and AE, and the accuracy of an MLP on the frozen encoder where it can be measured.
PlannedRow ablation_row(const PaperInputs& inputs, const std::string& table) {
  PlannedRow row = row_for(inputs, table,
                           fmt::format("{}, {}", model_name(inputs), trained_with(inputs, table)));
  row.budget = sensitivity_budget(inputs);
  row.remark = kExact;
  row.measurements = {sensitivity(inputs)};
  if (!inputs.config.train.empty())
    row.measurements.push_back(
        classify(inputs, inputs.config.train, inputs.config.data, "so3/so3", "mlp"));
  row.values = [](const Results& results) -> std::vector<std::string> {
    return {figure(results[0], "pa"), figure(results[0], "ae"),
            results.size() > 1 ? figure(results[1], "accuracy", 4) : "–"};
  };
  return row;
}

PlannedRow tasks_row(const PaperInputs& inputs) {
  PlannedRow row = row_for(inputs, "comparison", model_name(inputs));
  row.budget = sensitivity_budget(inputs);
  row.remark =
      "Point clouds, not images. A linear classifier on the frozen encoder under SO(3)/SO(3).";
  if (inputs.config.train.empty()) row.not_run = kNoTraining;
  row.measurements = {
      classify(inputs, inputs.config.train, inputs.config.data, "so3/so3", "linear"),
      sensitivity(inputs)};
  row.values = [](const Results& results) -> std::vector<std::string> {
    return {percent(results[0]["accuracy"]), figure(results[1], "r2")};
  };
  return row;
}

PlannedRow retrieval_row(const PaperInputs& inputs) {
  PlannedRow row = row_for(inputs, "retrieval", model_name(inputs));
  row.budget = sensitivity_budget(inputs);
  row.remark = "Point clouds, not images: 50 views of each shape.";
  row.measurements = {sensitivity(inputs)};
  row.values = [](const Results& results) -> std::vector<std::string> {
    return {figure(results[0], "mrr"), figure(results[0], "h1"), figure(results[0], "h5")};
  };
  return row;
}

// ---- studies: trained here for comparison

/// A study, and the rows that its variants fill.
struct StudyPlan {
  std::string ablation;                                       ///< empty: methods are compared
  std::string varied;                                         ///< as in study.json
  std::vector<std::pair<std::string, std::string>> variants;  ///< in study.json, and for people
};

const std::array<StudyPlan, 3>& studies() {
  static const std::array<StudyPlan, 3> kStudies = {
      {{"negatives", "M", {{"4", "M = 4"}, {"8", "M = 8"}, {"16", "M = 16"}, {"32", "M = 32"}}},
       {"beta",
        "beta",
        {{"0.9", "β = 0.9"},
         {"0.7", "β = 0.7"},
         {"0.5", "β = 0.5"},
         {"0.3", "β = 0.3"},
         {"0", "β = 0"}}},
       {"",
        "method",
        {{"sen", "SEN"}, {"equimod", "EquiMod"}, {"sie", "SIE"}, {"pointpng", "Point-PNG"}}}}};
  return kStudies;
}

PaperMeasurement run_study(const PaperInputs& inputs, const StudyPlan& study) {
  StudyMeasurement made{study.ablation, {}};
  made.config.data = {inputs.config.train};
  made.config.test = {inputs.config.data};
  made.config.out =
      inputs.config.study_folder / (study.ablation.empty() ? "compare" : study.ablation);
  made.config.seed = inputs.config.seed;
  made.config.compute = inputs.config.compute;
  return made;
}

/// A metric of a study in the format of the paper's column.
struct StudyFigure {
  const char* name;
  double scale = 1.0;
  int digits = 2;
};

/// Mean and spread of a variant's metric over seeds.
std::string mean_of(const json& study, const std::string& variant, const StudyFigure& figure) {
  for (const json& one : study.value("means", json::array())) {
    if (one.value("variant", "") != variant || !one.contains(figure.name)) continue;
    const json& found = one[figure.name];
    const auto written = [&](const char* key) {
      const double unit = std::pow(10.0, -figure.digits);  // rounded first: no "-0.00"
      const double value = figure.scale * found.value(key, 0.0);
      return fmt::format("{:.{}f}", std::round(value / unit) * unit + 0.0, figure.digits);
    };
    return found.value("count", 1) > 1
               ? fmt::format("{} ± {}", written("mean"), written("deviation"))
               : written("mean");
  }
  return "–";
}

/// One study's rows of one table; `figures` are those of its columns.
void add_study_rows(std::vector<PlannedRow>& rows, const PaperInputs& inputs,
                    const StudyPlan& study, const std::string& table,
                    const std::vector<StudyFigure>& figures) {
  const auto given = std::ranges::find_if(inputs.study_results, [&](const json& result) {
    return result.value("varied", "") == study.varied;
  });
  for (const auto& [variant, title] : study.variants) {
    PlannedRow row = row_for(inputs, table, title + ", trained here");
    row.data =
        fmt::format("{} / {}", file_name(inputs.config.train), file_name(inputs.config.data));
    row.budget = "steps and seeds as in the command";
    row.remark =
        "A small transformer trained for a small part of the paper's steps; mean over seeds.";
    row.measurements = {run_study(inputs, study)};
    if (given != inputs.study_results.end()) {
      row.known_command = given->value("command", "");
      row.results = {*given};
      row.data = "as in the command";
      row.seed = "as in the command";
    } else if (inputs.config.train.empty()) {
      row.not_run = kNoTraining;
    } else if (!amounts_of(inputs).studies) {
      row.not_run = "it takes hours; --budget full runs it, and --study takes a finished one";
    }
    row.values = [variant = variant, figures](const Results& results) {
      std::vector<std::string> values;
      for (const StudyFigure& figure : figures)
        values.push_back(mean_of(results[0], variant, figure));
      return values;
    };
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<std::string> paper_budgets() {
  std::vector<std::string> names;
  for (const auto& [name, unused] : amounts()) names.push_back(name);
  return names;
}

std::vector<PlannedRow> plan_paper(const PaperInputs& inputs) {
  std::vector<PlannedRow> rows;
  for (const std::string& head : amounts_of(inputs).heads)
    rows.push_back(classification_row(inputs, head, false));
  rows.push_back(classification_row(inputs, "finetune", true));
  if (!amounts_of(inputs).studies && rows.back().not_run.empty())
    rows.back().not_run = "it is trained with the fine-tuned one, in --budget full";
  for (const bool plain : {true, false})
    for (const char* protocol : {"same", "resampled"})
      rows.push_back(pose_row(inputs, protocol, plain));
  rows.push_back(scene_row(inputs));
  const std::vector<StudyFigure> ablated = {{"pa"}, {"ae"}, {"accuracy", 1.0, 4}};
  rows.push_back(ablation_row(inputs, "pseudo_negatives"));
  add_study_rows(rows, inputs, studies()[0], "pseudo_negatives", ablated);
  rows.push_back(ablation_row(inputs, "beta"));
  add_study_rows(rows, inputs, studies()[1], "beta", ablated);
  rows.push_back(tasks_row(inputs));
  add_study_rows(rows, inputs, studies()[2], "comparison", {{"accuracy", 100.0, 1}, {"r2"}});
  rows.push_back(retrieval_row(inputs));
  add_study_rows(rows, inputs, studies()[2], "retrieval", {{"mrr"}, {"h1"}, {"h5"}});
  return rows;
}

}  // namespace pointpng
