#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pointpng/cloud.h"

namespace pointpng {

/// Which point of a cloud is nearest to a place, answered by one look into a grid: exact enough to
/// judge and to settle thousands of poses, where a tree would answer for a few. Fine cells near the
/// points, coarse ones everywhere else.
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

  struct Grid {
    Eigen::Vector3f origin = Eigen::Vector3f::Zero();
    float cells_per_unit = 0.0F;
    Eigen::Vector3i size = Eigen::Vector3i::Zero();
    std::vector<std::int32_t> nearest;  // -1: none

    int at(const Eigen::Vector3f& place) const {
      const Eigen::Vector3f cell = (place - origin) * cells_per_unit;
      if (!(cell.minCoeff() >= 0.0F)) return -1;
      const Eigen::Vector3i index = cell.cast<int>();
      if (index[0] >= size[0] || index[1] >= size[1] || index[2] >= size[2]) return -1;
      const auto along = [&](int axis) { return static_cast<std::size_t>(index[axis]); };
      const auto count = [&](int axis) { return static_cast<std::size_t>(size[axis]); };
      return nearest[(along(0) * count(1) + along(1)) * count(2) + along(2)];
    }
  };

  const Grid& fine() const { return fine_; }
  const Grid& coarse() const { return coarse_; }

 private:
  static Grid stamped(const Cloud& points, Eigen::Index stride, float cell, float reach);

  Grid fine_, coarse_;
};

}  // namespace pointpng
