#include "pose/occupancy.h"

#include "pose/parameters.h"

namespace pointpng {

bool leaves_its_place(const PreparedCloudData& object, const RigidTransform& motion) {
  const Eigen::RowVector3f low = object.points.colwise().minCoeff(),
                           high = object.points.colwise().maxCoeff();
  Eigen::Index inside = 0;
  for (Eigen::Index i = 0; i < object.points.rows(); ++i) {
    const Eigen::RowVector3f place = (motion * object.points.row(i).transpose()).transpose();
    inside += (place.array() >= low.array()).all() && (place.array() <= high.array()).all() ? 1 : 0;
  }
  return static_cast<float>(inside) <
         kInstances.shared_place * static_cast<float>(object.points.rows());
}

}  // namespace pointpng
