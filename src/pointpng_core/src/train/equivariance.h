#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "model/model.h"
#include "model/search.h"
#include "pointpng/cloud.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// Pairs of clouds of held-out shapes, prepared for a model: two disjoint samples of each surface,
/// each with its own rotation.
struct TurnedPairs {
  torch::Tensor source, target;  ///< [P, points, 3]
  torch::Tensor rotation;        ///< [P, 4], target_from_source
  std::vector<std::string> names;
};

/// `count` pairs, cycling through the shapes; everything follows from the seed.
TurnedPairs turned_pairs(const ShapeSet& shapes, const ModelConfig& config, std::int64_t count,
                         std::uint64_t seed);

/// PA, AE and the errors of the search. The rotations that it finds, [P, 4], go to `estimated`
/// where that is given.
Equivariance measure_equivariance(Model& model, const TurnedPairs& pairs,
                                  const RotationSearchConfig& config = {},
                                  torch::Tensor* estimated = nullptr);

}  // namespace pointpng
