#include "cli/learn/eval_options.h"

#include "cli/learn_commands.h"

namespace pointpng::cli {

Command add_eval_command(Command parent, const std::string& name, const std::string& description,
                         std::initializer_list<Example> examples) {
  return add_command(command_group(parent, "eval", learn_description("eval")), name, description,
                     examples);
}

void add_common_options(Command command, EvalOptions& options) {
  add_seed_option(command, options.input.seed);
  add_compute_options(command, options.input.compute);
  add_output_options(command, options.output);
}

void add_eval_options(Command command, EvalOptions& options) {
  command.add_option("--data", options.input.data, "Shapes: as for 'pretrain'").required();
  command.add_option("--model", options.input.model, kModelHelp);
  command.add_option("--topic", options.input.load.topic, kTopicHelp);
  add_common_options(command, options);
}

void add_sensitivity_options(Command command, SensitivityConfig& config) {
  const auto add = [&](const char* name, std::int64_t& value, std::int64_t least,
                       const char* meaning) {
    command.add_option(name, value, meaning)
        .range(least, std::int64_t{100000000})
        .show_default()
        .group("Measuring");
  };
  add("--pairs", config.pairs, 1, "Pairs for PA, AE and the rotation error");
  add("--shapes", config.shapes, 1, "Shapes for MRR, H@k and R² at most");
  add("--views", config.views, 2, "Views of each of them");
  add("--probe-shapes", config.probe.shapes, 1,
      "Shapes that the regressor of R² is trained on at most");
  add("--probe-steps", config.probe.steps, 1, "Steps that it is trained for");
}

}  // namespace pointpng::cli
