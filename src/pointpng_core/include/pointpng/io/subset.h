#pragma once

#include <cstddef>

#include "pointpng/base/cloud.h"

namespace pointpng {

/// Removes the points with a NaN or infinite coordinate, keeps the order of the rest and returns
/// how many went.
std::size_t drop_non_finite(Cloud& points);

/// Some lidars mark a missing return with 0 0 0 instead of NaN: removes the points at the origin
/// where there are several of them, and returns how many went.
std::size_t drop_missing_returns(Cloud& points);

/// True when the cloud has at least `count` different points.
bool has_distinct_points(const Cloud& points, std::size_t count);

}  // namespace pointpng
