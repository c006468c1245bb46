#pragma once

#include <cstdint>
#include <span>

#include <Eigen/Geometry>

#include "pointpng/base/cloud.h"
#include "pointpng/base/random.h"

namespace pointpng {

/// The points at these rows, in this order.
Cloud rows_at(const Cloud& cloud, std::span<const std::int64_t> rows);

/// `count` points drawn without replacement, in their original order; all of them where there are
/// no more than that.
Cloud random_subset(const Cloud& cloud, Eigen::Index count, Random& random);

/// The cloud after a rigid motion; computed in double precision.
Cloud moved(const Cloud& cloud, const Eigen::Isometry3d& motion);

}  // namespace pointpng
