#pragma once

#include "pointpng/base/cloud.h"

namespace pointpng {

/// One point, the mean, for every occupied cube of edge `size`; ordered by first occurrence, so the
/// same cloud always gives the same result. Throws `InputError` unless size > 0.
Cloud voxel_filter(const Cloud& cloud, float size);

/// Unit normals of the plane through each point's `neighbours` nearest ones, turned away from the
/// centroid. Throws `InputError` for fewer than 3 of them.
Cloud estimate_normals(const Cloud& cloud, int neighbours = 16);

}  // namespace pointpng
