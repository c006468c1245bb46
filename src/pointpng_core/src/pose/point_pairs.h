#pragma once

#include <cstdint>
#include <vector>

#include "pose/fit.h"
#include "pose/scan.h"

namespace pointpng {

/// How placements are found from parts of the clouds.
struct PointPairsConfig {
  std::int64_t target_points = 256;  ///< whose pairs go into the table
  std::int64_t source_points = 256;  ///< whose pairs are looked up
  std::int64_t source_pairs = 4000;  ///< that are looked up
  std::int64_t matches = 8;          ///< at most, for each of them
  std::int64_t judged_points = 64;   ///< of the source, for the first judgement
  std::int64_t kept = 64;            ///< best distinct placements that are returned
};

/// Placements that bring a pair of points with normals of the source onto a like pair of the
/// target, best first: they need no more overlap than two small places, far apart. Rare pairs are
/// preferred, as corners tell more than flat walls. The same scans give the same placements.
std::vector<Placement> match_point_pairs(const Scan& source, const Scan& target,
                                         const PointPairsConfig& config);

}  // namespace pointpng
