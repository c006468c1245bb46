#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "pointpng/cloud.h"
#include "pose/nearest_field.h"

namespace pointpng {

/// z of a scan; see embedding.h. Geometry needs none of LibTorch's heavy headers.
struct Embedding;

/// A cloud made ready to be aligned. Points are relative to `centre`, in the cloud's unit.
struct Scan {
  std::string name;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< centroid of the cleaned cloud
  float radius = 0.0F;   ///< distance from the centre that 95 % of the points keep
  float spacing = 0.0F;  ///< typical distance of a point to its few nearest neighbours
  Cloud points;          ///< at most `PoseConfig::points`, spread evenly, strays removed
  Cloud normals;         ///< unit length, signs of no meaning
  NearestField field;    ///< over `points`
  /// Rows of some nearest neighbours of each point, nearest first.
  Eigen::Matrix<std::int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> neighbours;
  std::shared_ptr<const Embedding> embedding;
  std::vector<std::string> notes;  ///< what was done to the cloud that a user should know
  double prepare_ms = 0.0, embed_ms = 0.0;
};

/// Row of the point nearest to a place, -1 where none is within the field's reach. Several looks
/// into the field and at the neighbours of what it says: of a hundred answers near the surface one
/// may be the second nearest.
int nearest_row(const Scan& scan, const Eigen::Vector3f& place);

/// Everything but the embedding. Throws `InputError` when the cloud has no pose to find.
Scan clean_scan(const Cloud& cloud, std::int64_t points, std::string_view name);

}  // namespace pointpng
