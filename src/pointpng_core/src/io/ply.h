#pragma once

#include <iosfwd>

#include "io/file_view.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Stanford PLY: ascii or binary of either byte order, properties of any type and order, lists and
/// elements that we don't know skipped, polygons cut into triangles.
Mesh read_ply(const FileView& file);

/// Binary little-endian PLY with float x y z.
void write_ply(std::ostream& out, const Cloud& points);

}  // namespace pointpng
