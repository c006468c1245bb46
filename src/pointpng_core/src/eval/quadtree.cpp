#include "eval/quadtree.h"

#include <algorithm>
#include <numeric>

namespace pointpng {

Quadtree::Quadtree(const Rows& places) : leaf_of_(static_cast<std::size_t>(places.rows()), 0) {
  const Eigen::RowVector2d low = places.colwise().minCoeff(), high = places.colwise().maxCoeff();
  const Square whole{0.5 * (low + high), 0.5 * (high - low).maxCoeff() + 1e-300, 0};
  std::vector<std::int64_t> all(leaf_of_.size());
  std::iota(all.begin(), all.end(), 0);
  nodes_.reserve(2 * leaf_of_.size());
  nodes_.emplace_back();
  fill(0, all, whole, places);
}

void Quadtree::fill(std::int32_t at, std::vector<std::int64_t>& places, const Square& square,
                    const Rows& all) {
  Node node;
  for (const std::int64_t place : places) node.centre += all.row(place);
  node.count = static_cast<double>(places.size());
  node.centre /= node.count;
  node.width = 2.0 * square.half;
  nodes_[static_cast<std::size_t>(at)] = node;
  if (places.size() == 1 || square.depth == kDeepest - 1) {
    for (const std::int64_t place : places) leaf_of_[static_cast<std::size_t>(place)] = at;
    return;
  }
  std::array<std::vector<std::int64_t>, 4> quarters;
  for (const std::int64_t place : places)
    quarters[(all(place, 0) > square.middle[0] ? 1U : 0U) +
             (all(place, 1) > square.middle[1] ? 2U : 0U)]
        .push_back(place);
  places.clear();
  places.shrink_to_fit();
  const auto first = static_cast<std::int32_t>(nodes_.size());
  const auto children = std::ranges::count_if(quarters, [](const auto& q) { return !q.empty(); });
  nodes_.resize(nodes_.size() + static_cast<std::size_t>(children));
  nodes_[static_cast<std::size_t>(at)].first_child = first;
  nodes_[static_cast<std::size_t>(at)].children = static_cast<std::int32_t>(children);
  std::int32_t next = first;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    if (quarters[quarter].empty()) continue;
    const double half = 0.5 * square.half;
    const Eigen::RowVector2d middle =
        square.middle +
        Eigen::RowVector2d(quarter & 1U ? half : -half, quarter & 2U ? half : -half);
    fill(next++, quarters[quarter], {middle, half, square.depth + 1}, all);
  }
}

}  // namespace pointpng
