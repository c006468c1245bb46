#pragma once

#include <iosfwd>

#include "io/file_view.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Text with one point per line: x y z first, then anything; blanks, commas or semicolons between;
/// comments (#, //, %), one line of column names and one line with the number of points are
/// skipped.
Cloud read_xyz(const FileView& file);

/// "x y z" lines that read back to the same floats.
void write_xyz(std::ostream& out, const Cloud& points);

}  // namespace pointpng
