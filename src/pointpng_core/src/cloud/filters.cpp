#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <pcl/features/normal_3d_omp.h>
#include <pcl/point_types.h>
#include <pcl/search/kdtree.h>

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

Cloud estimate_normals(const Cloud& cloud, int neighbours) {
  if (neighbours < 3 || cloud.rows() < 3)
    throw InputError(fmt::format("normals need at least 3 neighbours and 3 points, not {} and {}",
                                 neighbours, cloud.rows()));
  const auto points = std::make_shared<pcl::PointCloud<pcl::PointXYZ>>();
  points->reserve(static_cast<std::size_t>(cloud.rows()));
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    points->emplace_back(cloud(i, 0), cloud(i, 1), cloud(i, 2));
  pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimation;
  estimation.setInputCloud(points);
  estimation.setSearchMethod(std::make_shared<pcl::search::KdTree<pcl::PointXYZ>>());
  estimation.setKSearch(std::min<int>(neighbours, static_cast<int>(cloud.rows())));
  pcl::PointCloud<pcl::Normal> found;
  estimation.compute(found);

  const Eigen::RowVector3f centre = cloud.colwise().mean();
  Cloud normals(cloud.rows(), 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    const Eigen::RowVector3f normal =
        found[static_cast<std::size_t>(i)].getNormalVector3fMap().transpose();
    normals.row(i) = normal.dot(cloud.row(i) - centre) < 0 ? Eigen::RowVector3f(-normal) : normal;
  }
  return normals;
}

}  // namespace pointpng
