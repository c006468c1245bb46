#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/learn/command_lines.h"
#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/study_options.h"
#include "cli/learn/terminal.h"

namespace pointpng::cli {
namespace {

struct AblateOptions : StudyOptions {
  std::string name;
};

Outcome ablate(AblateOptions& options) {
  apply(options.output);
  options.config.command = command_line("ablate " + options.name, options.config);
  return publish(
      pointpng::ablate(options.config, options.name, Terminal(options.output).run_hooks()),
      options);
}

}  // namespace

void add_eval_ablate(Command parent) {
  const auto options = std::make_shared<AblateOptions>();
  Command command = add_eval_command(
      parent, "ablate",
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
  command.add_option("--model", options->config.model,
                     fmt::format("For 'grid' and 'hypotheses': {}", kModelHelp));
  add_study_options(command, *options);
  on_run(command, [options] { return ablate(*options); });
}

}  // namespace pointpng::cli
