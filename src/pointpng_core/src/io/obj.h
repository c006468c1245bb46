#pragma once

#include "io/file_view.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Wavefront OBJ: vertices and polygons (v, v/vt, v//vn, v/vt/vn, also counted from the end).
Mesh read_obj(const FileView& file);

}  // namespace pointpng
