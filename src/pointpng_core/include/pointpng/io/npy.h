#pragma once

#include <iosfwd>

#include "pointpng/base/cloud.h"
#include "pointpng/io/file_view.h"

namespace pointpng {

/// NumPy's NPY, format versions 1 to 3: an N×3 array (or wider: the first three columns) of floats
/// or integers, of either byte order, in C or Fortran order.
Cloud read_npy(const FileView& file);

/// Rows of float32 in C order.
void write_npy_rows(
    std::ostream& out,
    const Eigen::Ref<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>&
        rows);

/// A cloud the same way, N×3.
inline void write_npy(std::ostream& out, const Cloud& points) { write_npy_rows(out, points); }

}  // namespace pointpng
