#pragma once

#include <ostream>

#include "io/file_view.h"
#include "pointpng/io.h"

namespace pointpng {

/// NumPy's NPY, format versions 1 to 3: an N×3 array (or wider: the first three columns) of floats
/// or integers, of either byte order, in C or Fortran order.
Cloud read_npy(const FileView& file);

/// Writes a cloud as N×3.
inline void write_npy(std::ostream& out, const Cloud& points) { write_npy_rows(out, points); }

}  // namespace pointpng
