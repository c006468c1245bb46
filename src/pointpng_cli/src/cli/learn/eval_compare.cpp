#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/learn/command_lines.h"
#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/study_options.h"
#include "cli/learn/terminal.h"

namespace pointpng::cli {
namespace {

struct CompareOptions : StudyOptions {
  std::vector<std::string> methods = default_methods();
};

Outcome compare(CompareOptions& options) {
  apply(options.output);
  options.config.command = command_line(
      fmt::format("compare --methods {}", fmt::join(options.methods, ",")), options.config);
  return publish(
      compare_methods(options.config, options.methods, Terminal(options.output).run_hooks()),
      options);
}

}  // namespace

void add_eval_compare(Command parent) {
  const auto options = std::make_shared<CompareOptions>();
  Command command = add_eval_command(
      parent, "compare",
      "Train Point-PNG and what the paper compares it with on the same data: one table, means over "
      "seeds.",
      {{"eval compare --data shapes.h5 --test test.h5 --out compared --steps 2000",
        "five methods, three seeds; after Ctrl-C the same command goes on"},
       {"eval compare --methods pointpng,sie --data procedural:200 --out two --steps 300 --json",
        "two of them, quickly, for scripts"}});
  command
      .add_option("--methods", options->methods,
                  fmt::format("Which, separated by commas: {}", fmt::join(method_names(), ", ")))
      .separated_by(',')
      .show_default();
  add_study_options(command, *options);
  on_run(command, [options] { return compare(*options); });
}

}  // namespace pointpng::cli
