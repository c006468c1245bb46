#pragma once

#include <iosfwd>

#include "pointpng/base/cloud.h"
#include "pointpng/io/file_view.h"

namespace pointpng {

/// NumPy's NPY, format versions 1 to 3: an N×3 array (or wider: the first three columns) of floats
/// or integers, of either byte order, in C or Fortran order.
Cloud read_npy(const FileView& file);

/// N×3 float32 in C order.
void write_npy(std::ostream& out, const Cloud& points);

}  // namespace pointpng
