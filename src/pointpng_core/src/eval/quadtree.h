#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "eval/pca.h"

namespace pointpng {

/// Quadtree over points of a plane, for sums in which distant points are approximated by the
/// centre of their cell (Barnes and Hut).
class Quadtree {
 public:
  Quadtree() = default;
  explicit Quadtree(const Rows& places);

  /// Calls `add(place - centre, squared distance, how many)` for squares and single places that
  /// together are all places but `self`: a square as one where it is narrower than `theta` times
  /// its distance.
  template <class Add>
  void visit(const Eigen::RowVector2d& place, std::int64_t self, double theta, Add add) const {
    std::array<std::int32_t, kDeepest * 4> open;
    std::size_t depth = 0;
    open[depth++] = 0;
    while (depth > 0) {
      const std::int32_t at = open[--depth];
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      const Eigen::RowVector2d away = place - node.centre;
      const double squared = away.squaredNorm();
      const bool leaf = node.first_child < 0;
      if (!leaf && node.width * node.width >= theta * theta * squared) {
        for (std::int32_t child = 0; child < node.children; ++child)
          open[depth++] = node.first_child + child;
        continue;
      }
      const bool own = leaf && leaf_of_[static_cast<std::size_t>(self)] == at;
      const double count = node.count - (own ? 1.0 : 0.0);
      if (count > 0.0) add(away, squared, count);
    }
  }

 private:
  static constexpr int kDeepest = 40;  // squares 2^-40 wide hold what is the same place

  struct Node {
    Eigen::RowVector2d centre = Eigen::RowVector2d::Zero();  ///< of its places' mass
    double width = 0.0;
    double count = 0.0;
    std::int32_t first_child = -1;  ///< its children follow one another; -1: it has none
    std::int32_t children = 0;
  };
  struct Square {
    Eigen::RowVector2d middle;
    double half = 0.0;
    int depth = 0;
  };

  void fill(std::int32_t at, std::vector<std::int64_t>& places, const Square& square,
            const Rows& all);

  std::vector<Node> nodes_;
  std::vector<std::int32_t> leaf_of_;  ///< of each place
};

}  // namespace pointpng
