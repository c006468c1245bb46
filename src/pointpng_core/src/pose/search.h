#pragma once

#include <cstdint>

#include <torch/types.h>

#include "model/model.h"

namespace pointpng {

/// How rotations are looked for in embedding space.
struct SearchConfig {
  std::int64_t hypotheses = 4;  ///< K: distinct rotations that are returned
  double distinct_deg = 15.0;   ///< hypotheses are at least this far apart
  std::int64_t grid = 2048;     ///< rotations that are tried first (wigner)
  std::int64_t polished = 8;    ///< of which the best are polished
  std::int64_t newton_steps = 8;
  std::int64_t starts = 32;  ///< N_out of Algorithm 1
  std::int64_t steps = 100;  ///< N_in
  double step_size = 0.01;   ///< ε
  std::uint64_t seed = 0;    ///< of the starts: the same pair gives the same answer
};

/// The K best distinct rotations of each pair, best first.
struct Hypotheses {
  Tensor rotations;  ///< [B, K, 4], target_from_source; where fewer were distinct the last repeats
  Tensor losses;  ///< [B, K], the bidirectional loss |z_tgt - u_g z_src|² + |z_src - u_g⁻¹ z_tgt|²
};

/// That loss for rotations g [G, 4], the same for all pairs, or [B, G, 4] → [B, G]; z are [B, d].
Tensor bidirectional_loss(Predictor& predictor, const Tensor& g, const Tensor& source,
                          const Tensor& target);

/// Algorithm 1 of the paper for any predictor: all starts in one batch, gradient steps,
/// renormalised, minimum tracked.
Hypotheses search_by_gradient(Predictor& predictor, const Tensor& source, const Tensor& target,
                              const SearchConfig& config);

/// For `wigner` the loss depends on g only through Σ_l ⟨C_l, D^l(g)⟩: correlate once, evaluate a
/// dense grid of SO(3), polish the best with Newton steps in closed form.
Hypotheses search_by_correlation(const std::vector<std::int64_t>& channels, const Tensor& source,
                                 const Tensor& target, const SearchConfig& config);

/// Whichever fits the model.
Hypotheses search(Model& model, const Tensor& source, const Tensor& target,
                  const SearchConfig& config);

}  // namespace pointpng
