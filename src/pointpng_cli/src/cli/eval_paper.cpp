#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/own_command.h"
#include "cli/paper_plan.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "model/model.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "report/command_line.h"
#include "report/paper.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct PaperOptions {
  OutputOptions output;
  ComputeOptions compute;
  PaperInputs inputs;
  fs::path out = "paper.html";
};

std::string command_of(const PaperOptions& options) {
  CommandLine line("eval paper");
  line.option("data", options.inputs.data);
  if (!options.inputs.train.empty()) line.option("train", options.inputs.train);
  if (!options.inputs.scan_train.empty())
    line.option("scan-train", options.inputs.scan_train)
        .option("scan-test", options.inputs.scan_test);
  if (!options.inputs.scenes.empty()) line.option("scenes", options.inputs.scenes);
  for (const std::string& study : options.inputs.studies) line.option("study", study);
  if (!options.inputs.model.empty()) line.option("model", options.inputs.model);
  return line.option("budget", options.inputs.budget)
      .option("seed", options.inputs.seed)
      .option("out", options.out.string())
      .text();
}

/// What 'eval compare' or 'eval ablate' left in a folder.
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

/// Reads what the plan must know, and complains before anything is measured.
void look_at_inputs(PaperInputs& inputs) {
  std::vector<std::string> notes;
  inputs.class_names = load_shapes(inputs.data, {}, &notes).class_names;
  if (!inputs.train.empty()) load_shapes(inputs.train, {}, &notes);
  if (!inputs.scenes.empty() && !fs::is_directory(inputs.scenes))
    throw InputError(fmt::format("{}: there is no such folder of depth frames", inputs.scenes));
  if (inputs.scan_train.empty() != inputs.scan_test.empty())
    throw InputError("--scan-train and --scan-test belong together; give both or none");
  for (const std::string& file : {inputs.scan_train, inputs.scan_test})
    if (!file.empty()) load_shapes(file, {}, &notes);
  for (const std::string& folder : inputs.studies)
    inputs.study_results.push_back(read_study(folder));
  inputs.training = load_model(find_model(inputs.model)).card.training;
  warn(notes);
}

/// What is common to all commands: the result does not depend on it.
std::string with_compute(const std::string& command, const ComputeOptions& compute) {
  return fmt::format("{} --threads {} --device {}", command, compute.threads, compute.device);
}

OurRow measure(PlannedRow planned, const PaperOptions& options,
               std::map<std::string, OwnResult>& known) {
  OurRow row{planned.table,
             planned.method,
             {},
             planned.data,
             planned.budget,
             planned.seed,
             fmt::format("{}", fmt::join(planned.commands, "\n")),
             planned.remark,
             planned.not_run,
             {}};
  if (!row.not_run.empty()) return row;
  const bool to_run = planned.results.empty();
  for (std::size_t i = 0; to_run && i < planned.commands.size(); ++i) {
    // One command may serve several rows.
    const std::string& command = planned.commands[i];
    if (!known.contains(command)) {
      remark(command);
      known[command] = run_own_command(with_compute(command, options.compute));
    }
    const OwnResult& result = known[command];
    if (result.status != 0 || !result.json.is_object()) {
      row.not_run = result.error.empty() ? "its result could not be read" : result.error;
      return row;
    }
    planned.results.push_back(result.json);
  }
  row.values = planned.values(planned.results);
  row.figures = planned.results.size() == 1 ? planned.results[0] : json(planned.results);
  return row;
}

std::string what_was_trained(const PaperInputs& inputs) {
  std::vector<std::string> sources;
  for (const json& source : inputs.training.value("data", json::array()))
    sources.push_back(fs::path(source.value("source", "?")).filename().string());
  return fmt::format(
      "The paper pre-trains for 1600 epochs on ShapeNet, on GPUs, and fine-tunes for poses. The "
      "model here was trained on {} in {} steps of {} clouds in all, and is used as it is.",
      sources.empty() ? "data that its card does not name"
                      : fmt::format("{}", fmt::join(sources, ", ")),
      inputs.training.value("steps", std::int64_t{0}),
      inputs.training.value("clouds_seen", std::int64_t{0}));
}

PaperComparison compare(const PaperOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  PaperComparison comparison;
  comparison.model = find_model(options.inputs.model).stem().string();
  comparison.budget = options.inputs.budget;
  comparison.command = command_of(options);
  comparison.verdicts = {what_was_trained(options.inputs)};
  const std::vector<PlannedRow> plan = plan_paper(options.inputs);
  std::map<std::string, OwnResult> known;
  for (const PlannedRow& planned : plan)
    comparison.rows.push_back(measure(planned, options, known));
  comparison.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return comparison;
}

std::string to_text(const PaperComparison& comparison) {
  std::string text;
  for (const PaperTable& table : paper_tables()) {
    text += fmt::format("\n{} ({})\n", table.title, table.label);
    const auto line = [&](const std::string& method, const std::vector<std::string>& values) {
      text += fmt::format("  {:<58.58}", method);
      for (const std::string& value : values) text += fmt::format("  {:>19}", value);
      text += '\n';
    };
    line("", table.columns);
    for (const PublishedRow& row : table.rows)
      if (row.proposed) line("paper: " + row.method, row.values);
    for (const OurRow& row : comparison.rows) {
      if (row.table != table.id) continue;
      row.not_run.empty() ? line(row.method, row.values)
                          : line(row.method, {"not run: " + row.not_run});
    }
  }
  return text + "\n";
}

Outcome evaluate(PaperOptions& options) {
  apply(options.output);
  require_place(options.out);
  if (const std::string kind = options.out.extension().string(); kind == ".svg" || kind == ".png")
    throw InputError(
        fmt::format("{}: the tables are a page; name a file that ends in .html, or a "
                    "folder",
                    options.out.string()));
  look_at_inputs(options.inputs);
  fs::path folder = options.out;
  if (folder.has_extension()) folder.replace_extension();
  options.inputs.study_folder = folder.string() + "-studies";
  const PaperComparison comparison = compare(options);
  const json result = paper_json(comparison);
  const std::string page = paper_page(comparison);
  const std::vector<fs::path> written =
      write_drawings(options.out, {page, {}, {{"paper.json", result.dump(1) + "\n"}}});
  return print_drawn(options.output, to_text(comparison), result, written);
}

}  // namespace

void add_eval_paper(Command parent) {
  const auto options = std::make_shared<PaperOptions>();
  Command command = add_command(
      command_group(parent, "eval", "Measure a model"), "paper",
      "The paper's tables with ours beside them: runs what the data allow, says what was not run.",
      {{"eval paper --data modelnet40_test.h5", "minutes; writes paper.html"},
       {"eval paper --data test.h5 --train train.h5 --scenes 7scenes --budget full --out paper",
        "everything; the page and its numbers in a folder"},
       {"eval paper --data test.h5 --json", "for scripts"}});
  command.add_option("--data", options->inputs.data, "Labelled shapes to measure on").required();
  command.add_option("--train", options->inputs.train,
                     "Labelled shapes of the same classes to train on; what needs them is not run "
                     "without");
  command.add_option("--scan-train", options->inputs.scan_train, "ScanObjectNN's training shapes");
  command.add_option("--scan-test", options->inputs.scan_test, "And its test shapes");
  command.add_option("--study", options->inputs.studies,
                     "Folder of a finished 'eval compare' or 'eval ablate' to take rows from; may "
                     "be repeated");
  command.add_option("--scenes", options->inputs.scenes, "Folder of depth frames (7-Scenes)");
  command.add_option("--model", options->inputs.model,
                     "A model.safetensors or the name of a shipped model [object]");
  command
      .add_option("--budget", options->inputs.budget,
                  "quick: minutes; full: hours, as it trains the methods that are compared")
      .one_of(paper_budgets())
      .show_default();
  command.add_option("--out", options->out, "The page (F.html), or a folder for it and its numbers")
      .show_default();
  add_seed_option(command, options->inputs.seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
