#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"

namespace pointpng {

/// A marked direction on a map.
struct SphereMark {
  double longitude_deg = 0.0, latitude_deg = 0.0;
  std::string label;  ///< beside the mark; empty: none
  bool star = false;  ///< a star instead of a ring
  std::string tip;
};

/// Values over the directions of space.
struct SpherePanel {
  std::string title;
  std::int64_t latitudes = 0, longitudes = 0;
  std::vector<float> values;  ///< row by row from the south pole up, each from -180° to 180°
  std::vector<SphereMark> marks;
};

/// Maps with a common colour scale.
struct SphereMaps {
  std::vector<SpherePanel> panels;
  std::size_t columns = 1;
  double low = 0.0, high = 1.0;         ///< ends of the scale
  std::string value_name;               ///< "loss"
  std::string unit;                     ///< "°"
  bool tips = true;                     ///< show the value under the pointer
  std::vector<std::string> mark_names;  ///< {star, ring}; empty names are left out
  std::string description;
};

/// Mollweide projection of every panel (equal area, poles up and down, x in the middle).
Picture sphere_maps_picture(const SphereMaps& maps);

/// Position of a direction on such a map of half-width 2 and half-height 1.
PicturePoint mollweide(double longitude_deg, double latitude_deg);

}  // namespace pointpng
