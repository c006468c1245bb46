#pragma once

#include <iosfwd>

#include "io/file_view.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// PCL's PCD: ascii, binary or binary_compressed, fields of any type, order and padding.
Cloud read_pcd(const FileView& file);

/// Binary PCD 0.7 with float x y z.
void write_pcd(std::ostream& out, const Cloud& points);

}  // namespace pointpng
