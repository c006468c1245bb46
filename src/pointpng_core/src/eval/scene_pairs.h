#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pointpng/evaluation.h"

namespace pointpng {

/// How pairs of depth frames are chosen.
struct ScenePairsConfig {
  std::int64_t points = 20000;  ///< of a frame, drawn at random
  double overlap = 0.5;         ///< share of each frame that the other one must see too
  double reach = 0.05;          ///< metres: distance up to which a point is seen by both
};

/// The protocol `scene`: frames of one sequence (7-Scenes layout) that see enough of the same, the
/// source rotated uniformly over SO(3) and shifted, so that no pose is near the identity. Pair i
/// follows from the seed and i; returns fewer than `count`, with a note, if there are no more.
std::vector<PosePair> make_scene_pairs(const std::filesystem::path& folder, std::int64_t count,
                                       std::uint64_t seed,
                                       std::vector<std::string>* notes = nullptr,
                                       const ScenePairsConfig& config = {});

}  // namespace pointpng
