#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "eval/pca.h"

namespace pointpng {

/// Joint probabilities p_ij of items, of which only those of near neighbours are stored, row by
/// row; they sum up to 1.
struct Affinities {
  std::vector<std::int64_t> first;   ///< where a row starts; one more than rows
  std::vector<std::int64_t> column;  ///< j, rising within a row
  std::vector<double> value;
};

/// With the width of every item's neighbourhood such that it has the perplexity. `neighbours` of
/// each item are looked at; all others where there are not as many.
Affinities joint_affinities(const Rows& items, double perplexity, std::int64_t neighbours);

/// The Kullback–Leibler divergence of a map from the items, and how it changes.
struct MapGradient {
  double divergence = 0.0;
  Rows gradient;  ///< [n, 2]
};

/// Every pair counts with `theta` = 0; else far ones are summed up by a quadtree. `exaggeration`
/// multiplies the affinities in the gradient.
MapGradient map_gradient(const Affinities& affinities, const Rows& map, double theta,
                         double exaggeration = 1.0);

struct TsneMap {
  Rows coordinates;         ///< [n, 2]
  double divergence = 0.0;  ///< at the end
  std::int64_t iterations = 0;
  bool exact = true;
};

/// The map follows from items and configuration alone, whatever the threads. Throws `InputError`
/// for fewer than 4 items, and where the perplexity asks for more neighbours than there are.
TsneMap tsne(const Rows& items, const TsneConfig& config = {},
             const std::function<void(std::int64_t)>& on_iteration = nullptr);

/// How well a map keeps neighbourhoods (Venna and Kaski 2001): 1 where the `neighbours` nearest on
/// the map are the nearest of the items as well, 0 at worst. Of many items some are asked.
double trustworthiness(const Rows& items, const Rows& map, std::int64_t neighbours = 5);

}  // namespace pointpng
