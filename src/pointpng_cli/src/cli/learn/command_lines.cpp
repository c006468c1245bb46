#include "cli/learn/command_lines.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/command_line.h"

namespace pointpng::cli {
namespace {

template <class Value>
void add_given(CommandLine& line, const char* name, const std::optional<Value>& value) {
  if (value) line.option(name, *value);
}

void add_given(CommandLine& line, const char* name, const std::string& value) {
  if (!value.empty()) line.option(name, value);
}

void add_all(CommandLine& line, const char* name, const std::vector<std::string>& values) {
  for (const std::string& value : values) line.option(name, value);
}

template <class Value>
void add_unusual(CommandLine& line, const char* name, const Value& value, const Value& usual) {
  if (value != usual) line.option(name, value);
}

std::string line_of(const SensitivityMeasurement& wanted) {
  CommandLine line("eval equivariance");
  add_given(line, "model", wanted.input.model);
  add_all(line, "data", wanted.input.data);
  add_all(line, "train", wanted.train);
  const SensitivityConfig usual;
  add_unusual(line, "probe-shapes", wanted.config.probe.shapes, usual.probe.shapes);
  add_unusual(line, "probe-steps", wanted.config.probe.steps, usual.probe.steps);
  return line.option("pairs", wanted.config.pairs)
      .option("shapes", wanted.config.shapes)
      .option("seed", wanted.input.seed)
      .text();
}

std::string line_of(const PoseMeasurement& wanted) {
  CommandLine line("eval pose");
  add_all(line, "data", wanted.input.data);
  line.option("protocol", wanted.protocol)
      .option("pairs", wanted.pairs)
      .option("seed", wanted.input.seed);
  add_given(line, "model", wanted.input.model);
  if (wanted.plain)
    line.option("refine", "none").option("hypotheses", 1).flag("no-parts").option("confidence", 0);
  return line.text();
}

std::string line_of(const ClassificationMeasurement& wanted) {
  return command_line(wanted.input, wanted.config);
}

std::string line_of(const StudyMeasurement& wanted) {
  return command_line(wanted.ablation.empty() ? "compare" : "ablate " + wanted.ablation,
                      wanted.config);
}

}  // namespace

std::string command_line(const EvaluationInput& input, const ClassificationConfig& config) {
  const ClassificationConfig usual;
  CommandLine line("eval classify");
  add_all(line, "train", config.train);
  add_all(line, "test", input.data);
  add_given(line, "model", input.model);
  line.option("protocol", config.protocol);
  add_given(line, "head", config.head);
  add_given(line, "epochs", config.epochs);
  add_given(line, "minutes", config.minutes);
  add_given(line, "balance", config.balance);
  add_given(line, "batch", config.batch);
  add_given(line, "views", config.views);
  if (config.few_shot)
    line.option("ways", config.few_shot->ways)
        .option("shots", config.few_shot->shots)
        .option("queries", config.few_shot->queries)
        .option("episodes", config.few_shot->episodes);
  add_unusual(line, "up", config.up, usual.up);
  add_unusual(line, "votes", config.votes, usual.votes);
  line.flag("no-background", !input.load.background);
  if (config.baseline) line.option("baseline", "pointnet");
  add_given(line, "baseline-minutes", config.baseline_minutes);
  return line.option("seed", input.seed).text();
}

std::string command_line(const std::string& what, const StudyConfig& config) {
  CommandLine line("eval " + what);
  add_all(line, "data", config.data);
  add_all(line, "test", config.test);
  add_given(line, "topic", config.topic);
  line.option("out", config.out.string()).option("preset", config.preset);
  add_given(line, "backbone", config.backbone);
  if (config.minutes)
    line.option("minutes", *config.minutes);
  else
    line.option("steps", config.steps);
  line.option("seeds", config.seeds).option("seed", config.seed);
  const SensitivityConfig usual = study_sensitivity();
  add_unusual(line, "pairs", config.measured.pairs, usual.pairs);
  add_unusual(line, "shapes", config.measured.shapes, usual.shapes);
  add_unusual(line, "views", config.measured.views, usual.views);
  add_unusual(line, "probe-shapes", config.measured.probe.shapes, usual.probe.shapes);
  add_unusual(line, "probe-steps", config.measured.probe.steps, usual.probe.steps);
  add_all(line, "set", config.settings);
  add_given(line, "model", config.model);
  return line.text();
}

std::string command_line(const PaperMeasurement& measurement) {
  return std::visit([](const auto& wanted) { return line_of(wanted); }, measurement);
}

std::string command_line(const PaperConfig& config, const std::filesystem::path& out) {
  CommandLine line("eval paper");
  line.option("data", config.data);
  add_given(line, "train", config.train);
  add_given(line, "scan-train", config.scan_train);
  add_given(line, "scan-test", config.scan_test);
  add_given(line, "scenes", config.scenes);
  for (const std::filesystem::path& study : config.studies) line.option("study", study.string());
  add_given(line, "model", config.model);
  return line.option("budget", config.budget)
      .option("seed", config.seed)
      .option("out", out.string())
      .text();
}

}  // namespace pointpng::cli
