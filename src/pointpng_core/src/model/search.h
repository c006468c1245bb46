#pragma once

#include <torch/types.h>

#include "embed/rotation_search.h"
#include "model/model.h"

namespace pointpng {

/// The K best distinct rotations of each pair, best first.
struct Hypotheses {
  Tensor rotations;  ///< [B, K, 4], target_from_source; where fewer were distinct the last repeats
  Tensor losses;     ///< [B, K], see `RotationHypothesis`
};

/// The bidirectional loss for rotations g [G, 4], the same for all pairs, or [B, G, 4] → [B, G]; z
/// are [B, d].
Tensor bidirectional_loss(Predictor& predictor, const Tensor& g, const Tensor& source,
                          const Tensor& target);

/// Algorithm 1 of the paper for any predictor: all starts in one batch, gradient steps,
/// renormalised, minimum tracked.
Hypotheses search_by_gradient(Predictor& predictor, const Tensor& source, const Tensor& target,
                              const RotationSearchConfig& config);

/// By correlation for the Wigner predictor (see `search_rotations`), on the CPU, else by gradient.
Hypotheses search(Model& model, const Tensor& source, const Tensor& target,
                  const RotationSearchConfig& config);

}  // namespace pointpng
