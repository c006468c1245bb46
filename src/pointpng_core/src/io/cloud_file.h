#pragma once

#include "io/file_view.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// What the file holds: a mesh, or one without triangles for a plain cloud; non-finite points and
/// the triangles that touch them are removed. The extension of `file.name` says the format.
Mesh parse_geometry(const FileView& file);

}  // namespace pointpng
