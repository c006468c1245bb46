#pragma once

#include "pointpng/cli/command.h"
#include "pointpng/eval/sensitivity.h"

namespace pointpng::cli {

/// `--pairs`, `--shapes`, `--views`, `--probe-shapes`, `--probe-steps`: how much is measured.
void add_sensitivity_options(Command command, SensitivityConfig& config);

}  // namespace pointpng::cli
