#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "base/random.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// The points at these rows, in this order.
Cloud rows_at(const Cloud& cloud, std::span<const std::int64_t> rows);

/// `count` points drawn without replacement, in their original order; all of them where there are
/// no more than that.
Cloud random_subset(const Cloud& cloud, Eigen::Index count, Random& random);

/// The numbers 0 … count-1 in random order.
std::vector<std::int64_t> shuffled_rows(std::int64_t count, Random& random);

/// Two samples of `count` points each that have no point in common. Needs twice as many points.
std::pair<Cloud, Cloud> disjoint_samples(const Cloud& cloud, Eigen::Index count, Random& random);

}  // namespace pointpng
