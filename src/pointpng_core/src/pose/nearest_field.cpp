#include "pose/nearest_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cloud/simd.h"

namespace pointpng {
namespace {

constexpr int kMostCells = 512;              // along an edge: memory stays bounded for any cloud
constexpr float kFineReach = 2.0F;           // of the fine grid, in spacings
constexpr float kCoarseCells = 5.0F;         // cells of the coarse grid within its reach
constexpr Eigen::Index kCoarsePoints = 256;  // at least; or every eighth point

/// A point among the cells of a grid.
struct Stamp {
  float limit = 0.0F;  // its reach in cells, squared
  float cell_square = 0.0F;
  Eigen::Vector3f place;      // in cells
  Eigen::Vector3i low, high;  // the cells that it reaches
  std::int32_t row = 0;
};

/// One vector of cells along z.
inline __attribute__((always_inline)) void claim_vector(float aside, float height,
                                                        float cell_square, std::int32_t row,
                                                        float* known, std::int32_t* nearest) {
  auto& distance = *reinterpret_cast<simd::LooseFloats*>(known);
  auto& taken = *reinterpret_cast<simd::LooseInts*>(nearest);
  const simd::Floats dz = simd::Floats{0, 1, 2, 3, 4, 5, 6, 7} + height;
  const simd::Floats square = (dz * dz + aside) * cell_square;
  const simd::Ints nearer = square < distance;
  distance = nearer ? square : distance;
  taken = nearer ? simd::Ints{} + row : taken;
}

/// Where the cells of a grid are, for a function that is compiled for several instruction sets.
struct Cells {
  const std::int32_t* block_of;
  Eigen::Vector3i blocks;
  float* known;
  std::int32_t* nearest;
};

/// Takes the cells within reach that no nearer point has. `known` begins with the reach, so nothing
/// beyond it is taken, and whole vectors may be looked at: a row of a block is one.
POINTPNG_SIMD
void claim(const Stamp& stamp, const Cells& cells) {
  constexpr int kEdge = 8;
  static_assert(kEdge == simd::kLanes);
  const float px = stamp.place[0], py = stamp.place[1], pz = stamp.place[2];
  for (int x = stamp.low[0]; x <= stamp.high[0]; ++x)
    for (int y = stamp.low[1]; y <= stamp.high[1]; ++y) {
      const float dx = static_cast<float>(x) + 0.5F - px, dy = static_cast<float>(y) + 0.5F - py;
      const float aside = dx * dx + dy * dy;
      if (aside >= stamp.limit) continue;
      const std::int32_t* const row =
          cells.block_of + (x / kEdge * cells.blocks[1] + y / kEdge) * cells.blocks[2];
      const std::ptrdiff_t within = (x % kEdge * kEdge + y % kEdge) * kEdge;
      for (int block = stamp.low[2] / kEdge; block <= stamp.high[2] / kEdge; ++block) {
        const std::ptrdiff_t at = std::ptrdiff_t{row[block]} * kEdge * kEdge * kEdge + within;
        claim_vector(aside, static_cast<float>(block * kEdge) + 0.5F - pz, stamp.cell_square,
                     stamp.row, cells.known + at, cells.nearest + at);
      }
    }
}

}  // namespace

NearestField::NearestField(const Cloud& points, float spacing, float reach)
    : fine_(stamped(points, 1, spacing, std::min(kFineReach * spacing, reach))),
      coarse_(stamped(points, std::clamp<Eigen::Index>(points.rows() / kCoarsePoints, 1, 8),
                      reach / kCoarseCells, reach)) {}

/// Every point (or every `stride`-th) claims the cells within its reach that no nearer point has.
NearestField::Grid NearestField::stamped(const Cloud& points, Eigen::Index stride, float cell,
                                         float reach) {
  const Eigen::Vector3f low = points.colwise().minCoeff(), high = points.colwise().maxCoeff();
  const float longest = (high - low).maxCoeff() + 2.0F * reach;
  // Equal points have neither spacing nor extent, but one cell.
  cell =
      std::max({cell, longest / static_cast<float>(kMostCells), std::numeric_limits<float>::min()});
  Grid grid;
  grid.origin = low.array() - reach;
  grid.cells_per_unit = 1.0F / cell;
  for (int axis = 0; axis < 3; ++axis) {
    const float extent = (high[axis] - low[axis] + 2.0F * reach) * grid.cells_per_unit;
    grid.blocks[axis] = static_cast<int>(extent) / Grid::kEdge + 1;
    grid.size[axis] = grid.blocks[axis] * Grid::kEdge;
  }
  const int steps = static_cast<int>(std::ceil(reach * grid.cells_per_unit));
  const auto stamp_of = [&](Eigen::Index row) {
    Stamp stamp;
    stamp.limit = reach * reach * grid.cells_per_unit * grid.cells_per_unit;
    stamp.cell_square = cell * cell;
    stamp.place = (points.row(row).transpose() - grid.origin) * grid.cells_per_unit;
    const Eigen::Vector3i at = stamp.place.cast<int>();
    stamp.low = (at.array() - steps).max(0).min(grid.size.array() - 1);
    stamp.high = (at.array() + steps).max(0).min(grid.size.array() - 1);
    stamp.row = static_cast<std::int32_t>(row);
    return stamp;
  };
  grid.block_of.assign(static_cast<std::size_t>(grid.blocks.prod()), 0);
  std::int32_t blocks = 1;
  for (Eigen::Index i = 0; i < points.rows(); i += stride) {
    const Stamp stamp = stamp_of(i);
    const auto touched = [&](int axis, auto use) {
      for (int b = stamp.low[axis] / Grid::kEdge; b <= stamp.high[axis] / Grid::kEdge; ++b)
        use(b * Grid::kEdge);
    };
    touched(0, [&](int x) {
      touched(1, [&](int y) {
        touched(2, [&](int z) {
          std::int32_t& block = grid.block_of[grid.block_at(x, y, z)];
          if (block == 0) block = blocks++;
        });
      });
    });
  }
  const std::size_t cells = static_cast<std::size_t>(blocks) * Grid::kBlockCells;
  grid.nearest.assign(cells, -1);
  std::vector<float> distance(cells, reach * reach);
  const Cells memory{grid.block_of.data(), grid.blocks, distance.data(), grid.nearest.data()};
  for (Eigen::Index i = 0; i < points.rows(); i += stride) claim(stamp_of(i), memory);
  return grid;
}

}  // namespace pointpng
