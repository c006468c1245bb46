#include "io/subset.h"

#include <array>
#include <set>

#include "pointpng/io.h"

namespace pointpng {
namespace {

/// Keeps the rows that `wanted` accepts, in their order, and returns how many were removed.
template <class Wanted>
std::size_t keep_rows(Cloud& points, Wanted wanted) {
  Eigen::Index kept = 0;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    if (!wanted(i)) continue;
    if (kept != i) points.row(kept) = points.row(i);
    ++kept;
  }
  const auto dropped = static_cast<std::size_t>(points.rows() - kept);
  if (dropped > 0) points.conservativeResize(kept, 3);
  return dropped;
}

}  // namespace

std::size_t drop_non_finite(Cloud& points) {
  return keep_rows(points, [&](Eigen::Index i) { return points.row(i).allFinite(); });
}

std::size_t drop_missing_returns(Cloud& points) {
  const auto at_origin = (points.array() == 0).rowwise().all();
  if (at_origin.count() < 2) return 0;
  return keep_rows(points, [&](Eigen::Index i) { return (points.row(i).array() != 0).any(); });
}

bool has_distinct_points(const Cloud& points, std::size_t count) {
  std::set<std::array<float, 3>> seen;
  for (Eigen::Index i = 0; i < points.rows() && seen.size() < count; ++i)
    seen.insert({points(i, 0), points(i, 1), points(i, 2)});
  return seen.size() >= count;
}

}  // namespace pointpng
