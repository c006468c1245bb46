#pragma once

#include <cstdint>
#include <string>

namespace pointpng {

/// How files become clouds. The same options and the same files give the same points.
struct LoadOptions {
  int mesh_points = 4096;  ///< points drawn from the surface of a mesh or a procedural object
  int max_points = 16384;  ///< larger clouds are thinned out at random; 0 keeps all points
  std::string topic;       ///< which PointCloud2 topic of a bag; empty where it has only one
  std::uint64_t seed = 0;  ///< for drawing and thinning out
  bool background = true;  ///< keep the points that an HDF5 file's `mask` marks as background
};

}  // namespace pointpng
