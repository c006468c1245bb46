#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "base/stopwatch.h"
#include "eval/paper_plan.h"
#include "model/model.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The result of a study in its folder.
json read_study(const fs::path& folder) {
  const fs::path file = folder / "study.json";
  if (!fs::exists(file))
    throw InputError(fmt::format(
        "{} has no study.json; give a folder that 'eval compare' or 'eval ablate' finished",
        folder.string()));
  json study = json::parse(read_file(file), nullptr, false);
  if (!study.is_object() || !study.contains("varied") || !study.contains("means"))
    throw InputError(fmt::format("{} is no study", file.string()));
  return study;
}

/// Reads what the plan needs, and throws before anything is measured.
PaperInputs look_at_inputs(const PaperConfig& config, const OnMessage& on_message) {
  PaperInputs inputs;
  inputs.config = config;
  std::vector<std::string> notes;
  inputs.class_names = load_shapes(config.data, {}, &notes).class_names;
  if (!config.train.empty()) load_shapes(config.train, {}, &notes);
  if (!config.scenes.empty() && !fs::is_directory(config.scenes))
    throw InputError(fmt::format("{}: there is no such folder of depth frames", config.scenes));
  if (config.scan_train.empty() != config.scan_test.empty())
    throw InputError("--scan-train and --scan-test belong together; give both or none");
  for (const std::string& file : {config.scan_train, config.scan_test})
    if (!file.empty()) load_shapes(file, {}, &notes);
  for (const fs::path& folder : config.studies) inputs.study_results.push_back(read_study(folder));
  inputs.training = load_model(find_model(config.model)).card.training;
  if (on_message)
    for (const std::string& note : notes) on_message(Severity::kWarning, note);
  return inputs;
}

/// Thrown when the user stops a study: ends all measurements.
class Stopped : public Error {
 public:
  using Error::Error;
};

/// Carries out a measurement; the JSON is that of the command.
class Measure {
 public:
  explicit Measure(const RunHooks& hooks) : hooks_(hooks), watched_{hooks.on_message, nullptr} {}

  json operator()(const ClassificationMeasurement& wanted) const {
    json result = evaluate_classification(wanted.input, wanted.config, watched_);
    result["protocol"] = wanted.config.protocol;
    result["seed"] = wanted.input.seed;
    return result;
  }
  json operator()(const SensitivityMeasurement& wanted) const {
    return measure_sensitivity(wanted.input, wanted.train, wanted.config, watched_);
  }
  json operator()(const PoseMeasurement& wanted) const {
    RegistrationConfig config;
    if (wanted.plain) {
      config.refinement = Refinement::kNone;
      config.num_hypotheses = 1;
      config.partial_overlap = false;
      config.min_confidence = 0.0;
    }
    const PosePairs pairs{wanted.protocol, wanted.pairs, {}};
    const PoseEvaluation evaluation =
        evaluate_pose(wanted.input, config,
                      load_or_make_pairs(wanted.input, pairs, hooks_.on_message), {}, watched_);
    return pose_evaluation_json(evaluation, wanted.input, pairs, config, {}, {});
  }
  json operator()(const StudyMeasurement& wanted) const {
    const Study study = wanted.ablation.empty()
                            ? compare_methods(wanted.config, default_methods(), hooks_)
                            : ablate(wanted.config, wanted.ablation, hooks_);
    if (!study.finished) throw Stopped(fmt::format("'{}' was stopped", study.command));
    return study_json(study);
  }

 private:
  const RunHooks& hooks_;
  EvaluationHooks watched_;
};

/// A result, or the reason why there is none.
struct Measured {
  json result;
  std::string problem;
};

Measured measure(PaperMeasurement wanted, const std::string& command, const RunHooks& hooks) {
  if (auto* study = std::get_if<StudyMeasurement>(&wanted)) study->config.command = command;
  try {
    return {std::visit(Measure(hooks), wanted), ""};
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& failure) {
    return {nullptr, failure.what()};
  }
}

OurRow fill(PlannedRow planned, const PaperHooks& hooks, std::map<std::string, Measured>& known) {
  std::vector<std::string> commands;
  if (!planned.known_command.empty()) commands = {planned.known_command};
  for (std::size_t i = commands.size(); i < planned.measurements.size(); ++i)
    commands.push_back(hooks.command_of(planned.measurements[i]));
  OurRow row{planned.table,
             planned.method,
             {},
             planned.data,
             planned.budget,
             planned.seed,
             fmt::format("{}", fmt::join(commands, "\n")),
             planned.remark,
             planned.not_run,
             {}};
  if (!row.not_run.empty()) return row;
  const bool to_run = planned.results.empty();
  for (std::size_t i = 0; to_run && i < planned.measurements.size(); ++i) {
    // One measurement may serve several rows.
    if (!known.contains(commands[i])) {
      if (hooks.run.on_message) hooks.run.on_message(Severity::kRemark, commands[i]);
      known[commands[i]] = measure(planned.measurements[i], commands[i], hooks.run);
    }
    const Measured& measured = known[commands[i]];
    if (!measured.problem.empty()) {
      row.not_run = measured.problem;
      return row;
    }
    planned.results.push_back(measured.result);
  }
  row.values = planned.values(planned.results);
  row.figures = planned.results.size() == 1 ? planned.results[0] : json(planned.results);
  return row;
}

std::string what_was_trained(const json& training) {
  std::vector<std::string> sources;
  for (const json& source : training.value("data", json::array()))
    sources.push_back(fs::path(source.value("source", "?")).filename().string());
  return fmt::format(
      "The paper pre-trains for 1600 epochs on ShapeNet, on GPUs, and fine-tunes for poses. The "
      "model here was trained on {} in {} steps of {} clouds in all, and is used as it is.",
      sources.empty() ? "data that its card does not name"
                      : fmt::format("{}", fmt::join(sources, ", ")),
      training.value("steps", std::int64_t{0}), training.value("clouds_seen", std::int64_t{0}));
}

}  // namespace

PaperComparison compare_with_paper(const PaperConfig& config, const PaperHooks& hooks) {
  const PaperInputs inputs = look_at_inputs(config, hooks.run.on_message);
  const Stopwatch watch;
  PaperComparison comparison;
  comparison.model = find_model(config.model).stem().string();
  comparison.budget = config.budget;
  comparison.verdicts = {what_was_trained(inputs.training)};
  std::map<std::string, Measured> known;
  for (PlannedRow& planned : plan_paper(inputs))
    comparison.rows.push_back(fill(std::move(planned), hooks, known));
  comparison.seconds = watch.seconds();
  return comparison;
}

}  // namespace pointpng
