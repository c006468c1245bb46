#pragma once

#include <Eigen/Core>

#include "pointpng/evaluation.h"

namespace pointpng {

/// Principal component analysis.
struct PrincipalComponents {
  Eigen::RowVectorXd mean;    ///< of the items
  Rows axes;                  ///< [k, d], orthonormal; the largest part of each is positive
  Eigen::VectorXd explained;  ///< share of the variance along each axis
  Rows coordinates;           ///< [n, k]

  /// Projects other items.
  Rows project(const Rows& items) const;
};

/// The first `count` components of n items of length d. Where the items span fewer directions, the
/// remaining coordinates are 0. Throws `InputError` for fewer than two items.
PrincipalComponents principal_components(const Rows& items, Eigen::Index count);

}  // namespace pointpng
