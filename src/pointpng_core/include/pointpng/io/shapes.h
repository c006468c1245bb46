#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pointpng/base/cloud.h"
#include "pointpng/io/load_options.h"

namespace pointpng {

/// The one front door: shapes from whatever the user names:
///   F.h5, or a .txt that lists such files · a folder of cloud files, one subfolder a class or flat
///   · a folder of depth frames (7-Scenes) · a rosbag2 folder, .mcap or .db3 · a single cloud file
///   · procedural:COUNT[:SEED]
/// Of a collection, shapes that can't be used are skipped with a note; of a single file, they are
/// an `InputError`. So is a collection in which nothing can be used.
ShapeSet load_shapes(const std::string& source, const LoadOptions& options = {},
                     std::vector<std::string>* notes = nullptr);

/// Adds the shapes of one set to another; classes of the same name are one.
void append_shapes(ShapeSet& all, ShapeSet more);

/// Another number wherever a point, a label or the order of the shapes is another: tells whether
/// data are still the same.
std::uint32_t checksum_of(const ShapeSet& set);

}  // namespace pointpng
