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

/// Items on a plane, with equal scales in x and y.
struct Scatter {
  std::vector<ScatterPoint> points;
  std::vector<std::string> groups;  ///< names of the colours
  bool ordered = false;             ///< the groups are ordered: sequential colours
  std::string dot_name,
      cross_name;              ///< what dots and crosses are; empty where there are no crosses
  std::string x_name, y_name;  ///< empty where the axes have no meaning
  std::string description;
};

/// The map with its legend.
Picture scatter_picture(const Scatter& scatter);

}  // namespace pointpng
