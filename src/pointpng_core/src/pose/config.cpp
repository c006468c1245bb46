#include "pose/config.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pointpng/error.h"

namespace pointpng {

std::vector<std::string> refine_names() { return {"none", "icp", "gicp", "plane"}; }

void validate(const PoseConfig& config) {
  const std::vector<std::string> names = refine_names();
  if (std::find(names.begin(), names.end(), config.refine) == names.end())
    throw InputError(fmt::format("there is no refinement '{}'; there are: {}", config.refine,
                                 fmt::join(names, ", ")));
  if (config.hypotheses < 1 || config.hypotheses > 64)
    throw InputError(fmt::format("from 1 to 64 hypotheses, not {}", config.hypotheses));
  if (config.points < 64 || config.points > 16384)
    throw InputError(fmt::format("from 64 to 16384 points are aligned, not {}", config.points));
  if (!(config.confidence >= 0.0 && config.confidence <= 1.0))
    throw InputError(
        fmt::format("the confidence to accept is from 0 to 1, not {}", config.confidence));
}

}  // namespace pointpng
