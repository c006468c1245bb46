#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pointpng/cloud.h"

namespace pointpng {

/// Which point of a cloud is nearest to a place, answered by one look into a grid: exact enough to
/// judge and to settle thousands of poses, where a tree would answer for a few. Fine cells near the
/// points, coarse ones everywhere else. Only blocks of cells near points take memory, so that large
/// scenes have fine cells too.
class NearestField {
 public:
  NearestField() = default;

  /// `spacing` is the typical distance between neighbours, `reach` how far from the points answers
  /// are still wanted; both in the cloud's unit.
  NearestField(const Cloud& points, float spacing, float reach);

  /// Index of a point near `place`, or -1 where none is within reach. Of the points near by it is
  /// the nearest to the centre of the cell that `place` is in.
  int nearest(const Eigen::Vector3f& place) const {
    const int near = fine_.at(place);
    return near >= 0 ? near : coarse_.at(place);
  }

  /// Cells in blocks of 8 x 8 x 8. Block 0 is the empty one.
  struct Grid {
    static constexpr int kEdgeBits = 3, kEdge = 1 << kEdgeBits;
    static constexpr std::size_t kBlockCells = std::size_t{kEdge} * kEdge * kEdge;

    Eigen::Vector3f origin = Eigen::Vector3f::Zero();
    float cells_per_unit = 0.0F;
    Eigen::Vector3i size = Eigen::Vector3i::Zero();    // in cells, whole blocks
    Eigen::Vector3i blocks = Eigen::Vector3i::Zero();  // along each axis
    std::vector<std::int32_t> block_of;  // place of each block in `nearest`, in blocks
    std::vector<std::int32_t> nearest;   // -1: none

    std::size_t block_at(int x, int y, int z) const {
      const auto along = [](int cell) { return static_cast<std::size_t>(cell >> kEdgeBits); };
      const auto count = [&](int axis) { return static_cast<std::size_t>(blocks[axis]); };
      return (along(x) * count(1) + along(y)) * count(2) + along(z);
    }
    /// Where a cell lies in its block.
    static std::size_t within(int x, int y, int z) {
      constexpr int kMask = kEdge - 1;
      return static_cast<std::size_t>(((x & kMask) << (2 * kEdgeBits)) |
                                      ((y & kMask) << kEdgeBits) | (z & kMask));
    }
    std::size_t cell_at(int x, int y, int z) const {
      return static_cast<std::size_t>(block_of[block_at(x, y, z)]) * kBlockCells + within(x, y, z);
    }

    int at(const Eigen::Vector3f& place) const {
      const Eigen::Vector3f cell = (place - origin) * cells_per_unit;
      // In floating point: a place far away has no cell that an integer could hold.
      if (!(cell.minCoeff() >= 0.0F) || !(cell[0] < static_cast<float>(size[0])) ||
          !(cell[1] < static_cast<float>(size[1])) || !(cell[2] < static_cast<float>(size[2])))
        return -1;
      const Eigen::Vector3i index = cell.cast<int>();
      return nearest[cell_at(index[0], index[1], index[2])];
    }
  };

  const Grid& fine() const { return fine_; }
  const Grid& coarse() const { return coarse_; }

 private:
  static Grid stamped(const Cloud& points, Eigen::Index stride, float cell, float reach);

  Grid fine_, coarse_;
};

}  // namespace pointpng
