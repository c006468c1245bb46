#pragma once

#include <string>

#include "pointpng/cloud.h"
#include "pointpng/io.h"

namespace pointpng {

/// Procedural objects without a class, or with the classes they are given in turn.
inline ShapeSet test_shapes(int count, int points, std::vector<std::string> classes = {}) {
  ShapeSet set = procedural_shapes(count, points, 7);
  for (std::size_t i = 0; i < set.shapes.size(); ++i)
    set.shapes[i].label = classes.empty() ? -1 : static_cast<int>(i % classes.size());
  set.class_names = std::move(classes);
  return set;
}

}  // namespace pointpng
