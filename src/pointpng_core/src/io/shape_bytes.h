#pragma once

#include <string>

#include "pointpng/cloud.h"

namespace pointpng {

/// Shapes as bytes and back, to hand them from one process of this machine to another.
std::string pack_shapes(const ShapeSet& set);
ShapeSet unpack_shapes(const std::string& bytes);

}  // namespace pointpng
