#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "embed/similarity_peak.h"

namespace pointpng {

/// Which way is up in two clouds; unit vectors.
struct UpDirections {
  Eigen::Vector3d source, target;
};

/// How rotations are searched in embedding space.
struct RotationSearchConfig {
  int num_hypotheses = 4;               ///< K: distinct rotations that are returned
  double distinct_deg = 15.0;           ///< hypotheses are at least this far apart
  int grid_size = 2048;                 ///< rotations that are tried first (wigner)
  int num_refined = 8;                  ///< of which the best are refined by Newton's method
  int newton_steps = 8;                 ///< at most
  int starts = 32;                      ///< N_out of Algorithm 1 (other predictors)
  int steps = 100;                      ///< N_in
  double step_size = 0.01;              ///< ε
  std::uint64_t seed = 0;               ///< of the starts
  std::optional<UpDirections> up = {};  ///< only rotations that keep it (wigner)
};

/// A rotation that may bring one cloud onto the other.
struct RotationHypothesis {
  Eigen::Quaterniond target_from_source = Eigen::Quaterniond::Identity();
  double loss = 0.0;  ///< bidirectional: |z_tgt - u_g z_src|² + |z_src - u_g⁻¹ z_tgt|²
};

/// For the Wigner predictor the loss depends on g only through Σ_l ⟨C_l, D^l(g)⟩ with
/// C_l = Σ_channels z_tgt z_srcᵀ: correlate once, evaluate a dense grid of SO(3), refine the best
/// peaks by Newton's method in closed form. `channels`: of degree 0, 1, …
std::vector<RotationHypothesis> search_rotations(const std::vector<std::int64_t>& channels,
                                                 const Eigen::VectorXf& source,
                                                 const Eigen::VectorXf& target,
                                                 const RotationSearchConfig& config);

/// The best of `candidates`, then the best that is at least `distinct_deg` from those taken, until
/// there are `count`. Candidates come in any order.
std::vector<RotationHypothesis> pick_distinct(std::vector<RotationHypothesis> candidates, int count,
                                              double distinct_deg);

/// The bidirectional loss of an orthogonal predictor by the similarity ⟨z_tgt, u_g z_src⟩.
inline double embedding_loss(double similarity) { return 4.0 - 4.0 * similarity; }

/// `count` rotations spread nearly evenly over SO(3) (super-Fibonacci spirals, Alexa 2022), w >= 0.
std::vector<Eigen::Quaternionf> rotation_grid(std::int64_t count);

/// Such a grid with its Wigner matrices.
struct RotationGrid {
  using Neighbourhood = std::array<int, 12>;  ///< as many as touch one ball in a dense packing

  std::vector<Eigen::Quaternionf> rotations;
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> wigner;  ///< [G, Σ (2l+1)²]
  std::vector<Neighbourhood> neighbours;
  SimilarityPeak::Generators generators;
};

/// Made once per size and degree.
const RotationGrid& rotation_grid_with_wigner(int size, std::int64_t degree);

/// Real Wigner matrices D^l(q) of degree 0 … `degree`, flattened row by row one after the other:
/// Σ (2l+1)² numbers with Y_l(R v) = D^l(R) Y_l(v).
Eigen::VectorXd flat_wigner(const Eigen::Quaterniond& q, std::int64_t degree);

}  // namespace pointpng
