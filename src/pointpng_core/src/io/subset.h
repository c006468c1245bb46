#pragma once

#include <cstddef>

#include "pointpng/cloud.h"

namespace pointpng {

/// Removes the points with a NaN or infinite coordinate, keeps the order of the rest and returns
/// how many were removed.
std::size_t drop_non_finite(Cloud& points);

/// True when the cloud has at least `count` different points.
bool has_distinct_points(const Cloud& points, std::size_t count);

}  // namespace pointpng
