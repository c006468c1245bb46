#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "eval/pca.h"

namespace pointpng {

/// Sparse joint probabilities p_ij of items: only those of near neighbours are stored, row by
/// row; they sum to 1.
struct Affinities {
  std::vector<std::int64_t> first;   ///< where a row starts; one more than rows
  std::vector<std::int64_t> column;  ///< j, rising within a row
  std::vector<double> value;
};

/// The kernel width of every item is set to match the perplexity. Uses `neighbours` neighbours of
/// each item, or all if there are fewer.
Affinities joint_affinities(const Rows& items, double perplexity, std::int64_t neighbours);

/// The Kullback–Leibler divergence of a map from the items, and its gradient.
struct MapGradient {
  double divergence = 0.0;
  Rows gradient;  ///< [n, 2]
};

/// Exact with `theta` = 0; else distant items are summed by a quadtree (Barnes-Hut). `exaggeration`
/// multiplies the affinities in the gradient.
MapGradient map_gradient(const Affinities& affinities, const Rows& map, double theta,
                         double exaggeration = 1.0);

struct TsneMap {
  Rows coordinates;         ///< [n, 2]
  double divergence = 0.0;  ///< at the end
  std::int64_t iterations = 0;
  bool exact = true;
};

/// Deterministic, whatever the number of threads. Throws `InputError`
/// for fewer than 4 items, and where the perplexity asks for more neighbours than there are.
TsneMap tsne(const Rows& items, const TsneConfig& config = {},
             const std::function<void(std::int64_t)>& on_iteration = nullptr);

/// How well a map keeps neighbourhoods (Venna and Kaski 2001): 1 where the `neighbours` nearest on
/// the map are the nearest of the items as well, 0 at worst. Large sets are subsampled.
double trustworthiness(const Rows& items, const Rows& map, std::int64_t neighbours = 5);

}  // namespace pointpng
