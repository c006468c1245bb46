#include "pointpng/cloud/normalise.h"

#include <cmath>

#include <fmt/format.h>

#include "pointpng/base/error.h"

namespace pointpng {

Normalisation measure(const Cloud& cloud) {
  Normalisation found;
  // Double: a map in world coordinates is large against the object in it.
  found.centre = cloud.cast<double>().colwise().mean().transpose().cast<float>();
  found.scale = (cloud.rowwise() - found.centre.transpose()).rowwise().norm().maxCoeff();
  return found;
}

Cloud normalised(const Cloud& cloud) {
  const Normalisation found = measure(cloud);
  return (cloud.rowwise() - found.centre.transpose()) / found.scale;
}

Cloud finite_points(const Cloud& cloud) {
  Cloud kept(cloud.rows(), 3);
  Eigen::Index count = 0;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    if (cloud.row(i).allFinite()) kept.row(count++) = cloud.row(i);
  kept.conservativeResize(count, 3);
  return kept;
}

void require_usable(const Cloud& cloud, std::string_view name, std::int64_t smallest) {
  if (cloud.rows() == 0) throw InputError(fmt::format("{} has no points", name));
  if (!cloud.allFinite())
    throw InputError(fmt::format("{} has NaN or infinite coordinates; remove them first", name));
  if (cloud.rows() < smallest)
    throw InputError(fmt::format("{} has {} point{}; at least {} are needed", name, cloud.rows(),
                                 cloud.rows() == 1 ? "" : "s", smallest));
  const Normalisation found = measure(cloud);
  const float magnitude = cloud.cwiseAbs().maxCoeff();
  if (!std::isfinite(found.scale))
    throw InputError(fmt::format("{} has coordinates too large to measure", name));
  if (found.scale <= 1e-6F * magnitude || found.scale == 0.0F)
    throw InputError(fmt::format("all points of {} are in one place", name));
}

}  // namespace pointpng
