#pragma once

#include "io/file_view.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// OFF meshes, also COFF/NOFF/STOFF with more numbers per vertex, and ModelNet's "OFF8 6 0".
Mesh read_off(const FileView& file);

}  // namespace pointpng
