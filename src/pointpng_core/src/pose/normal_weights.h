#pragma once

#include <cstdint>
#include <vector>

#include "pointpng/cloud.h"

namespace pointpng {

/// Weights of points, 1 on average, under which every direction of normals counts the same
/// (normal-space sampling, Rusinkiewicz and Levoy 2001): floors and walls, which fit in many wrong
/// poses, do not outvote what stands between them. Signs of normals mean nothing.
std::vector<float> normal_weights(const Cloud& normals);

/// All rows in a random order, heavier ones earlier: its first part is a draw by weight.
std::vector<std::int64_t> order_by_weight(const std::vector<float>& weights);

/// Some `count` of the rows at random, heavier ones more likely, in their order. The same for the
/// same key.
std::vector<std::int64_t> draw_by_weight(const std::vector<std::int64_t>& rows,
                                         const std::vector<float>& weights, std::size_t count,
                                         std::uint64_t key);

}  // namespace pointpng
