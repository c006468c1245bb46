#pragma once

#include <filesystem>
#include <string>

#include "pointpng/cloud.h"

namespace pointpng {

/// What libpointpng_hdf5 offers to this library, which does not link it: it is loaded with the
/// first HDF5 file, because Debian's HDF5 brings 25 shared libraries along (curl, Kerberos, …) that
/// a robot's node has no use for.
struct Hdf5Plugin {
  /// Reads in a process of its own, which may take `cpu_seconds`; else as `load_hdf5`.
  ShapeSet (*load)(const std::filesystem::path& path, bool background, int cpu_seconds) = nullptr;

  /// The file as it would be on the disk, built in memory so that it can be written in one go.
  std::string (*build_image)(const ShapeSet& set) = nullptr;
};

}  // namespace pointpng
