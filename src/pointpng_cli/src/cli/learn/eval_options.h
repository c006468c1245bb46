#pragma once

#include <string>

#include "cli/command.h"
#include "cli/options.h"
#include "pointpng/evaluation.h"

namespace pointpng::cli {

/// What every `eval` command takes.
struct EvalOptions {
  OutputOptions output;
  EvaluationInput input;
};

/// Adds the command `eval NAME`.
Command add_eval_command(Command parent, const std::string& name, const std::string& description,
                         std::initializer_list<Example> examples);

/// `--seed`, `--threads`, `--device`, `--json` and `--quiet`.
void add_common_options(Command command, EvalOptions& options);

/// `--model`, `--data`, `--topic` and the common ones.
void add_eval_options(Command command, EvalOptions& options);

/// `--pairs`, `--shapes`, `--views`, `--probe-shapes`, `--probe-steps`: how much is measured.
void add_sensitivity_options(Command command, SensitivityConfig& config);

}  // namespace pointpng::cli
