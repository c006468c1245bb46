#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pointpng/base/cloud.h"

namespace pointpng {

/// The families of objects that can be drawn: "chair", "table", … A shape's label is its row here.
const std::vector<std::string>& procedural_families();

/// An object made of boxes, cylinders, cones, ellipsoids and rings with proportions of its own.
/// Each index gives another one, no turn maps it onto itself, and its points are uniform over its
/// surface, centred and scaled to the unit sphere. z is up.
Shape procedural_shape(std::uint64_t seed, std::uint64_t index, Eigen::Index points);

/// Objects 0 … count-1 of a seed, families in turn.
ShapeSet procedural_shapes(std::int64_t count, Eigen::Index points, std::uint64_t seed);

}  // namespace pointpng
