#pragma once

#include <CLI/CLI.hpp>

#include "pointpng/eval/sensitivity.h"

namespace pointpng::cli {

/// `--pairs`, `--shapes`, `--views`, `--probe-shapes`, `--probe-steps`: how much is measured.
void add_sensitivity_options(CLI::App& command, SensitivityConfig& config);

}  // namespace pointpng::cli
