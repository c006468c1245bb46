#pragma once

#include <nlohmann/json_fwd.hpp>

namespace pointpng {

/// What speaks for and against the best placement of two clouds. A rival is another placement that
/// does not merely differ by a symmetry of the object. Nothing here has a unit.
struct Evidence {
  double score = 0.0;           ///< 0 … 1: how well the surfaces agree
  double source_overlap = 0.0;  ///< share of the source on the target's surface
  double target_overlap = 0.0;
  double residual = 0.0;    ///< of what overlaps, in spacings of the points
  bool searched = true;     ///< false: no rivals were looked for, and what follows of them is void
  double margin = 0.0;      ///< score less the best rival's
  double other_turn = 0.0;  ///< how far that one is turned from the best, in degrees
  double preference =
      10.0;             ///< standard errors by which the points prefer it to any rival; at most 10
  double rivals = 0.0;  ///< how many score nearly as well
  double raggedness = 0.0;  ///< how much the overlap is in pieces
  /// Directions of motion that the surfaces leave free: 0 for most things, 1 for a body of
  /// revolution, 3 for a sphere or a plane.
  int free_directions = 0;
};

void to_json(nlohmann::json& json, const Evidence& evidence);

}  // namespace pointpng
