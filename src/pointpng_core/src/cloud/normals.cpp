#include "cloud/normals.h"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "pointpng/error.h"

namespace pointpng {

Neighbours neighbours_of(const Cloud& cloud, std::int64_t count) {
  const std::int64_t k = std::min<std::int64_t>(count + 1, cloud.rows());
  return nearest_neighbours(cloud, cloud, k).rightCols(k - 1);
}

Cloud fitted_normals(const Cloud& cloud, const Neighbours& neighbours) {
  Cloud normals(cloud.rows(), 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    Eigen::Vector3f mean = cloud.row(i).transpose();
    for (std::int64_t k = 0; k < neighbours.cols(); ++k)
      mean += cloud.row(neighbours(i, k)).transpose();
    mean /= static_cast<float>(neighbours.cols() + 1);
    Eigen::Matrix3f scatter = Eigen::Matrix3f::Zero();
    const auto add = [&](Eigen::Index row) {
      const Eigen::Vector3f offset = cloud.row(row).transpose() - mean;
      scatter += offset * offset.transpose();
    };
    add(i);
    for (std::int64_t k = 0; k < neighbours.cols(); ++k) add(neighbours(i, k));
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
    solver.computeDirect(scatter);
    normals.row(i) = solver.eigenvectors().col(0).transpose();
  }
  return normals;
}

Cloud outward_normals(const Cloud& cloud, int count) {
  if (count < 3 || cloud.rows() < 3)
    throw InputError(fmt::format("normals need at least 3 neighbours and 3 points, not {} and {}",
                                 count, cloud.rows()));
  Cloud normals = fitted_normals(cloud, neighbours_of(cloud, count - 1));
  const Eigen::RowVector3f centre = cloud.colwise().mean();
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    if (normals.row(i).dot(cloud.row(i) - centre) < 0) normals.row(i) *= -1.0F;
  return normals;
}

}  // namespace pointpng
