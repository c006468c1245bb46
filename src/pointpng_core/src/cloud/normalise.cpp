#include "cloud/normalise.h"

#include <cmath>

#include <fmt/format.h>

#include "pointpng/error.h"

namespace pointpng {

namespace {

using Offsets = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Points relative to their centroid. Double: in a map's coordinates an object is small against its
/// distance from the origin.
Offsets centred(const Cloud& cloud) {
  const Offsets points = cloud.cast<double>();
  return points.rowwise() - points.colwise().mean();
}

double largest_norm(const Offsets& offsets) { return offsets.rowwise().norm().maxCoeff(); }

}  // namespace

Normalisation measure(const Cloud& cloud) {
  return {cloud.cast<double>().colwise().mean().transpose().cast<float>(),
          static_cast<float>(largest_norm(centred(cloud)))};
}

Cloud normalised(const Cloud& cloud) {
  const Offsets offsets = centred(cloud);
  return (offsets / largest_norm(offsets)).cast<float>();
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
