#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pointpng/cloud.h"

namespace pointpng {

/// True for names that end in .h5 or .hdf5.
bool is_hdf5_file(const std::filesystem::path& path);

/// Shapes of an HDF5 file in the layout of ModelNet40's: `data` N×P×3 (any float type), and where
/// present `label` (N or N×1), `name` (N strings) and `shape_names` (one per class). ScanObjectNN's
/// files have `mask` (N×P) too, negative for points of the background: without `background` they
/// are left out, and a file that has no mask is refused.
ShapeSet load_hdf5(const std::filesystem::path& path, bool background = true);

/// The same layout; all shapes must have the same number of points. Written atomically.
void save_hdf5(const std::filesystem::path& path, const ShapeSet& set);

/// True for a text file whose first line names an .h5 file (ModelNet40's train_files.txt).
bool is_hdf5_list(const std::filesystem::path& path);

/// The files of such a list: as written, or beside the list. Throws `InputError` for a missing one.
std::vector<std::filesystem::path> read_hdf5_list(const std::filesystem::path& path);

}  // namespace pointpng
