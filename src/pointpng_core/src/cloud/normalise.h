#pragma once

#include <cstdint>
#include <string_view>

#include <Eigen/Core>

#include "pointpng/cloud.h"

namespace pointpng {

/// Where a cloud was and how large: `unit = (point - centre) / scale`.
struct Normalisation {
  Eigen::Vector3f centre = Eigen::Vector3f::Zero();
  float scale = 1.0F;
};

/// Centroid and largest distance from it. The cloud must be usable (see below).
Normalisation measure(const Cloud& cloud);

/// The cloud centred on its centroid and scaled into the unit sphere.
Cloud normalised(const Cloud& cloud);

/// Only the points whose coordinates are all finite.
Cloud finite_points(const Cloud& cloud);

/// Throws `InputError` with a sentence that names the cloud when it can't be embedded: no points,
/// fewer than `smallest`, NaN or Inf among them, all identical.
void require_usable(const Cloud& cloud, std::string_view name, std::int64_t smallest = 4);

}  // namespace pointpng
