#pragma once

#include <cstdint>
#include <vector>

#include "embed/rotation_search.h"

namespace pointpng {

/// `search_rotations` among the rotations that bring the source's up direction onto the target's:
/// one angle is left. Best first. `correlation`: C_l of all degrees, flattened.
std::vector<RotationHypothesis> search_yaws(const Eigen::VectorXf& correlation, std::int64_t degree,
                                            const UpDirections& up,
                                            const RotationSearchConfig& config);

}  // namespace pointpng
