#pragma once

#include "cuda/judge_kernels.h"
#include "pose/prepared_cloud.h"
#include "pose/rigid_transform.h"

namespace pointpng {

/// What kernels see of a grid, a prepared cloud and a pose; pointers into their memory.
inline cuda::FieldGrid device_grid(const NearestField::Grid& grid) {
  static_assert(cuda::FieldGrid::kEdge == NearestField::Grid::kEdge);
  return {{grid.origin[0], grid.origin[1], grid.origin[2]},
          grid.cells_per_unit,
          {grid.blocks[0], grid.blocks[1], grid.blocks[2]},
          static_cast<std::int32_t>(grid.nearest.size() / NearestField::Grid::kBlockCells),
          grid.block_of.data(),
          grid.nearest.data()};
}

inline cuda::Surface device_surface(const PreparedCloudData& cloud) {
  return {cloud.points.data(),
          cloud.normals.data(),
          cloud.weights.data(),
          cloud.points.rows(),
          device_grid(cloud.field.fine()),
          device_grid(cloud.field.coarse())};
}

inline cuda::Pose device_pose(const RigidTransform& pose) {
  cuda::Pose flat{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) flat.rotation[3 * i + j] = pose.rotation(i, j);
    flat.translation[i] = pose.translation[i];
  }
  return flat;
}

}  // namespace pointpng
