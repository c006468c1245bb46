#include "cli/sensitivity_options.h"

namespace pointpng::cli {

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
