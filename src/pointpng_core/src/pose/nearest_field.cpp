#include "pose/nearest_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cloud/simd.h"

namespace pointpng {
namespace {

constexpr int kMostCells = 80;               // along an edge: memory stays bounded for any cloud
constexpr float kFineReach = 2.0F;           // of the fine grid, in spacings
constexpr float kCoarseCells = 5.0F;         // cells of the coarse grid within its reach
constexpr Eigen::Index kCoarsePoints = 256;  // are enough to say where the surface is

/// A point among the cells of a grid.
struct Stamp {
  Eigen::Vector3i size;
  int steps = 0;       // how many cells it reaches to either side
  float limit = 0.0F;  // its reach in cells, squared
  float cell_square = 0.0F;
  Eigen::Vector3f place;  // in cells
  std::int32_t row = 0;
};

/// Takes the cells within reach that no nearer point has. `known` begins with the reach, so nothing
/// beyond it is taken, and whole vectors may be looked at.
POINTPNG_SIMD
void claim(const Stamp& stamp, float* known, std::int32_t* nearest) {
  using simd::kLanes;
  const float px = stamp.place[0], py = stamp.place[1], pz = stamp.place[2];
  const auto first = [&](int axis, float p) {
    return std::clamp(static_cast<int>(p) - stamp.steps, 0, stamp.size[axis] - 1);
  };
  const auto last = [&](int axis, float p) {
    return std::clamp(static_cast<int>(p) + stamp.steps, 0, stamp.size[axis] - 1);
  };
  const int x0 = first(0, px), x1 = last(0, px), y0 = first(1, py), y1 = last(1, py);
  const int z0 = first(2, pz) / kLanes, z1 = last(2, pz) / kLanes;
  for (int x = x0; x <= x1; ++x)
    for (int y = y0; y <= y1; ++y) {
      const float dx = static_cast<float>(x) + 0.5F - px, dy = static_cast<float>(y) + 0.5F - py;
      const float aside = dx * dx + dy * dy;
      if (aside >= stamp.limit) continue;
      const auto row = static_cast<std::size_t>(x * stamp.size[1] + y) * stamp.size[2];
      for (int block = z0; block <= z1; ++block) {
        const std::size_t at = row + static_cast<std::size_t>(block) * kLanes;
        auto& distance = *reinterpret_cast<simd::LooseFloats*>(known + at);
        auto& taken = *reinterpret_cast<simd::LooseInts*>(nearest + at);
        const float height = static_cast<float>(block * kLanes) + 0.5F - pz;
        const simd::Floats dz = simd::Floats{0, 1, 2, 3, 4, 5, 6, 7} + height;
        const simd::Floats square = (dz * dz + aside) * stamp.cell_square;
        const simd::Ints nearer = square < distance;
        distance = nearer ? square : distance;
        taken = nearer ? simd::Ints{} + stamp.row : taken;
      }
    }
}

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
  grid.size[2] = static_cast<int>(simd::padded(grid.size[2]));
  const auto cells = static_cast<std::size_t>(grid.size.prod());
  grid.nearest.assign(cells, -1);
  std::vector<float> distance(cells, reach * reach);
  Stamp stamp;
  stamp.size = grid.size;
  stamp.steps = static_cast<int>(std::ceil(reach * grid.cells_per_unit));
  stamp.limit = reach * reach * grid.cells_per_unit * grid.cells_per_unit;
  stamp.cell_square = cell * cell;
  for (Eigen::Index i = 0; i < points.rows(); i += stride) {
    stamp.place = (points.row(i).transpose() - grid.origin) * grid.cells_per_unit;
    stamp.row = static_cast<std::int32_t>(i);
    claim(stamp, distance.data(), grid.nearest.data());
  }
  return grid;
}

}  // namespace pointpng
