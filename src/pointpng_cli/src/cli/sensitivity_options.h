#pragma once

#include "cli/command.h"
#include "eval/sensitivity.h"

namespace pointpng::cli {

/// `--pairs`, `--shapes`, `--views`, `--probe-shapes`, `--probe-steps`: how much is measured.
void add_sensitivity_options(Command command, SensitivityConfig& config);

}  // namespace pointpng::cli
