#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/command_lines.h"
#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/pictures.h"
#include "cli/learn/terminal.h"
#include "pointpng/error.h"
#include "report/paper.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;

struct PaperOptions {
  OutputOptions output;
  PaperConfig config;
  std::vector<std::string> studies;
  fs::path out = "paper.html";
};

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

PaperComparison compare(PaperOptions& options) {
  options.config.studies.assign(options.studies.begin(), options.studies.end());
  fs::path folder = options.out;
  if (folder.has_extension()) folder.replace_extension();
  options.config.study_folder = folder.string() + "-studies";
  Terminal terminal(options.output);
  const PaperHooks hooks{terminal.run_hooks(), [](const PaperMeasurement& measurement) {
                           return command_line(measurement);
                         }};
  PaperComparison comparison = compare_with_paper(options.config, hooks);
  comparison.command = command_line(options.config, options.out);
  return comparison;
}

Outcome evaluate(PaperOptions& options) {
  apply(options.output);
  require_place(options.out);
  if (const std::string kind = options.out.extension().string(); kind == ".svg" || kind == ".png")
    throw InputError(
        fmt::format("{}: the tables are a page; name a file that ends in .html, or a folder",
                    options.out.string()));
  const PaperComparison comparison = compare(options);
  const nlohmann::json result = paper_json(comparison);
  return finish_drawn(options.output, options.out, to_text(comparison), result, [&]() -> Drawings {
    return {paper_page(comparison), {}, {{"paper.json", result.dump(1) + "\n"}}};
  });
}

}  // namespace

void add_eval_paper(Command parent) {
  const auto options = std::make_shared<PaperOptions>();
  Command command = add_eval_command(
      parent, "paper",
      "The paper's tables with ours beside them: runs what the data allow, says what was not run.",
      {{"eval paper --data modelnet40_test.h5", "minutes; writes paper.html"},
       {"eval paper --data test.h5 --train train.h5 --scenes 7scenes --budget full --out paper",
        "everything; the page and its numbers in a folder"},
       {"eval paper --data test.h5 --json", "for scripts"}});
  command.add_option("--data", options->config.data, "Labelled shapes to measure on").required();
  command.add_option("--train", options->config.train,
                     "Labelled shapes of the same classes to train on; what needs them is not run "
                     "without");
  command.add_option("--scan-train", options->config.scan_train, "ScanObjectNN's training shapes");
  command.add_option("--scan-test", options->config.scan_test, "And its test shapes");
  command.add_option("--study", options->studies,
                     "Folder of a finished 'eval compare' or 'eval ablate' to take rows from; may "
                     "be repeated");
  command.add_option("--scenes", options->config.scenes, "Folder of depth frames (7-Scenes)");
  command.add_option("--model", options->config.model, kModelHelp);
  command
      .add_option("--budget", options->config.budget,
                  "quick: minutes; full: hours, as it trains the methods that are compared")
      .one_of(paper_budgets())
      .show_default();
  command.add_option("--out", options->out, "The page (F.html), or a folder for it and its numbers")
      .show_default();
  add_seed_option(command, options->config.seed);
  add_compute_options(command, options->config.compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
