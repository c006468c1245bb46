#pragma once

#include <string>
#include <vector>

#include "report/picture.h"

namespace pointpng {

/// One item on a map.
struct ScatterPoint {
  double x = 0.0, y = 0.0;
  std::size_t group = 0;  ///< its colour
  bool cross = false;     ///< drawn as a cross, not as a dot
  std::string tip;
};

/// Items on a plane whose directions are alike: one unit is as long across as it is up.
struct Scatter {
  std::vector<ScatterPoint> points;
  std::vector<std::string> groups;  ///< names of the colours
  bool ordered = false;             ///< the groups are steps of something: colours in sequence
  std::string dot_name,
      cross_name;              ///< what dots and crosses are; empty where there are no crosses
  std::string x_name, y_name;  ///< empty where directions mean nothing
  std::string description;
};

/// The map with its legend at the side.
Picture scatter_picture(const Scatter& scatter);

}  // namespace pointpng
