#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pointpng/base/cloud.h"
#include "pointpng/io/file_view.h"
#include "pointpng/io/load_options.h"

namespace pointpng {

/// True for a file name that `load_cloud` knows: ply, pcd, off, obj, xyz, txt, csv, pts, asc, npy.
bool is_cloud_file(const std::filesystem::path& path);

/// The finite points of a file, or points drawn from the surface where it holds a mesh. What the
/// user should know (NaNs dropped, cloud thinned out) is appended to `notes`.
Cloud load_cloud(const std::filesystem::path& path, const LoadOptions& options = {},
                 std::vector<std::string>* notes = nullptr);

/// What the file holds: a mesh, or one without triangles for a plain cloud; non-finite points and
/// the triangles that touch them are gone. The extension of `file.name` says the format.
Mesh parse_geometry(const FileView& file);

/// Writes ply, pcd, xyz, txt or npy by extension; the file is whole or not there.
void save_cloud(const std::filesystem::path& path, const Cloud& points);

}  // namespace pointpng
