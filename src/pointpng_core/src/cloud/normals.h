#pragma once

#include <cstdint>

#include "cloud/sampling.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// The nearest neighbours of every point, without itself: [N, k]. Compares all points with all.
Neighbours neighbours_of(const Cloud& cloud, std::int64_t count);

/// Unit normals of the planes through each point and its neighbours; their signs mean nothing.
Cloud fitted_normals(const Cloud& cloud, const Neighbours& neighbours);

/// Unit normals of the planes through each point's `count` nearest ones, itself among them, that
/// point away from the centroid. Throws `InputError` for fewer than 3 of them.
Cloud outward_normals(const Cloud& cloud, int count = 16);

}  // namespace pointpng
