#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <torch/types.h>

#include "eval/rotation_error.h"
#include "model/model.h"
#include "model/search.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Pairs of clouds of held-out shapes, prepared for a model: two disjoint samples of each surface,
/// each turned by a rotation of its own.
struct TurnedPairs {
  torch::Tensor source, target;  ///< [P, points, 3]
  torch::Tensor rotation;        ///< [P, 4], target_from_source
  std::vector<std::string> names;
};

/// `count` pairs, going round the shapes as often as needed; everything follows from the seed.
TurnedPairs turned_pairs(const ShapeSet& shapes, const ModelConfig& config, std::int64_t count,
                         std::uint64_t seed);

/// Does the embedding know the pose? PA and AE as in the paper, and, because they alone do not
/// certify it, the error of the search.
struct Equivariance {
  std::int64_t pairs = 0;
  double pa = 0.0;          ///< predictor accuracy: sim(u_g(z), z⁺)
  double ae = 0.0;          ///< absolute equivariance: PA - sim(z, z⁺)
  RotationErrors search;    ///< of the best hypothesis, without refinement
  torch::Tensor estimated;  ///< [P, 4]
};

Equivariance measure_equivariance(Model& model, const TurnedPairs& pairs,
                                  const RotationSearchConfig& config = {});

void to_json(nlohmann::json& json, const Equivariance& result);

}  // namespace pointpng
