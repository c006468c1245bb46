#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "cloud/voxel_index.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

struct Sum {
  Eigen::Vector3d total = Eigen::Vector3d::Zero();
  std::int64_t count = 0;
};

}  // namespace

Cloud voxel_filter(const Cloud& cloud, float size) {
  if (!(size > 0.0F))
    throw InputError(fmt::format("the voxel size must be positive, not {}", size));
  VoxelNumbers number(size, static_cast<std::size_t>(cloud.rows()));
  std::vector<Sum> sums;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    if (!cloud.row(i).allFinite()) continue;
    const Eigen::Vector3d point = cloud.row(i).transpose().cast<double>();
    const std::size_t at = number(point);
    if (at == sums.size()) sums.emplace_back();
    sums[at].total += point;
    ++sums[at].count;
  }
  Cloud filtered(static_cast<Eigen::Index>(sums.size()), 3);
  for (std::size_t i = 0; i < sums.size(); ++i)
    filtered.row(static_cast<Eigen::Index>(i)) =
        (sums[i].total / static_cast<double>(sums[i].count)).transpose().cast<float>();
  return filtered;
}

}  // namespace pointpng
