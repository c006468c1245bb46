#pragma once

#include "base/random.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// `count` points, uniform over the surface. Throws `InputError` for a mesh without area.
Cloud sample_surface(const Mesh& mesh, Eigen::Index count, Random& random);

/// Cuts a polygon into a fan of triangles and appends their corners.
void append_fan(const std::vector<int>& polygon, std::vector<int>& corners);

/// Corners, three per triangle, as a matrix.
Triangles to_triangles(const std::vector<int>& corners);

}  // namespace pointpng
