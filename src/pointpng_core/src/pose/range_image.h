#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "pointpng/cloud.h"

namespace pointpng {

/// What a sensor saw: ranges over a cube map around its place. Cells are a few times as large as
/// the points are far apart; a cell without points is unknown, not free.
class RangeImage {
 public:
  enum class Place {
    kUnknown,  ///< nothing was seen in this direction
    kFree,     ///< the sensor looked through it
    kSurface,  ///< about where something was seen
    kHidden,   ///< behind what was seen
  };

  /// `rays`: points relative to the sensor.
  explicit RangeImage(const Cloud& rays);

  /// `ray`: a place relative to the sensor. `margin`: how far from the surface is still on it.
  Place at(const Eigen::Vector3f& ray, float margin) const;

 private:
  struct Cell {
    float nearest, farthest;  ///< of the cell and its neighbours
    bool is_known = false;
  };
  /// A face of the cube and a place on it.
  struct Pixel {
    std::size_t face;
    int column, row;
  };

  static Pixel pixel_of(const Eigen::Vector3f& ray, int side);
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(column);
  }
  void widen(std::vector<Cell>& face) const;

  int side_ = 0;                            ///< cells along an edge of the cube
  std::array<std::vector<Cell>, 6> faces_;  ///< empty where nothing was seen
};

}  // namespace pointpng
