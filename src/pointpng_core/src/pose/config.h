#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pose/search.h"

namespace pointpng {

/// How a pose is estimated. Nothing here depends on the unit or the size of the clouds.
struct PoseConfig {
  std::string refine = "plane";  ///< none | icp | gicp | plane: the last refinement
  std::int64_t hypotheses = 4;   ///< K: rotations taken from the embedding; 1 is the plain paper
  bool parts = true;             ///< look at parts of the clouds where the whole does not settle it
  std::int64_t points = 1024;    ///< of each cloud that are aligned; more are downsampled
  double confidence = 0.88;      ///< below it a result is rejected: 99 % of the others are right
  SearchConfig search;
};

/// Throws `InputError` with a sentence for numbers that make no sense.
void validate(const PoseConfig& config);

std::vector<std::string> refine_names();

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PoseConfig, refine, hypotheses, parts, points,
                                                confidence)

}  // namespace pointpng
