#include "pointpng/pose/nearest_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pointpng {
namespace {

constexpr int kMostCells = 80;               // along an edge: memory stays bounded for any cloud
constexpr float kFineReach = 2.0F;           // of the fine grid, in spacings
constexpr float kCoarseCells = 5.0F;         // cells of the coarse grid within its reach
constexpr Eigen::Index kCoarsePoints = 256;  // are enough to say where the surface is

}  // namespace

NearestField::NearestField(const Cloud& points, float spacing, float reach)
    : fine_(stamped(points, 1, spacing, std::min(kFineReach * spacing, reach))),
      coarse_(stamped(points, std::max<Eigen::Index>(1, points.rows() / kCoarsePoints),
                      reach / kCoarseCells, reach)) {}

/// Every point (or every `stride`-th) claims the cells within its reach that no nearer point has.
NearestField::Grid NearestField::stamped(const Cloud& points, Eigen::Index stride, float cell,
                                         float reach) {
  const Eigen::Vector3f low = points.colwise().minCoeff(), high = points.colwise().maxCoeff();
  const float longest = (high - low).maxCoeff() + 2.0F * reach;
  cell = std::max(cell, longest / static_cast<float>(kMostCells));
  Grid grid;
  grid.origin = low.array() - reach;
  grid.cells_per_unit = 1.0F / cell;
  grid.size = ((high - low).array() + 2.0F * reach)
                  .matrix()
                  .cwiseProduct(Eigen::Vector3f::Constant(grid.cells_per_unit))
                  .array()
                  .ceil()
                  .cast<int>()
                  .max(1);
  const auto cells = static_cast<std::size_t>(grid.size.prod());
  grid.nearest.assign(cells, -1);
  std::vector<float> distance(cells, reach * reach);
  const int steps = static_cast<int>(std::ceil(reach * grid.cells_per_unit));
  const float limit = reach * reach * grid.cells_per_unit * grid.cells_per_unit;
  for (Eigen::Index i = 0; i < points.rows(); i += stride) {
    const Eigen::Vector3f place = (points.row(i).transpose() - grid.origin) * grid.cells_per_unit;
    const Eigen::Vector3i home = place.cast<int>();
    const Eigen::Vector3i first = (home.array() - steps).max(0),
                          last = (home.array() + steps).min(grid.size.array() - 1);
    for (int x = first[0]; x <= last[0]; ++x)
      for (int y = first[1]; y <= last[1]; ++y) {
        const float dx = static_cast<float>(x) + 0.5F - place[0],
                    dy = static_cast<float>(y) + 0.5F - place[1];
        const float aside = dx * dx + dy * dy, left = limit - aside;
        if (left <= 0.0F) continue;
        const float depth = std::sqrt(left);
        const int from = std::max(first[2], static_cast<int>(place[2] - 0.5F - depth)),
                  to = std::min(last[2], static_cast<int>(place[2] + 0.5F + depth));
        const std::size_t row = static_cast<std::size_t>(x * grid.size[1] + y) * grid.size[2];
        float* const known = distance.data() + row;
        std::int32_t* const nearest = grid.nearest.data() + row;
        for (int z = from; z <= to; ++z) {  // without branches, so that it is vectorised
          const float dz = static_cast<float>(z) + 0.5F - place[2];
          const float square = (aside + dz * dz) * cell * cell;
          const bool is_nearer = square < known[z];
          known[z] = is_nearer ? square : known[z];
          nearest[z] = is_nearer ? static_cast<std::int32_t>(i) : nearest[z];
        }
      }
  }
  return grid;
}

}  // namespace pointpng
