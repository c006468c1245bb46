#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "eval/view_embeddings.h"

namespace pointpng {

/// How the regressor is trained; sizes and rates are those of SIE's evaluation.
struct RotationProbeConfig {
  std::int64_t shapes = 2000;  ///< at most, of those that it is trained on
  std::int64_t views = 20;     ///< of each: 380 pairs a shape
  std::int64_t hidden = 1024;
  std::int64_t batch = 256;
  std::int64_t steps = 6000;
  double learning_rate = 1e-3;
};

/// Can the rotation between two views be read from their embeddings?
struct RotationProbe {
  std::int64_t train_shapes = 0, test_shapes = 0, test_pairs = 0;
  /// 1 - Σ (q - q̂)² / Σ (q - q̄)² over pairs of shapes that it was not trained on: 1 is perfect, 0
  /// is what the mean rotation gives.
  double r2 = 0.0;
  /// The same as SIE's code has it, with one mean of all four numbers of all quaternions for q̄:
  /// larger, and above 0 for an embedding that knows nothing. For comparison with its tables.
  double sie_r2 = 0.0;
  double train_r2 = 0.0;  ///< as r2, on pairs of shapes that it was trained on
};

/// R² as the paper takes it over from SIE: an MLP of three layers regresses the quaternion of the
/// rotation between two views from their embeddings side by side, by least squares. Everything
/// follows from the seed.
RotationProbe measure_rotation_probe(const ViewEmbeddings& train, const ViewEmbeddings& test,
                                     const RotationProbeConfig& config, std::uint64_t seed);

/// {"r2", "sie_r2", "train_r2", "train_shapes", "test_shapes", "test_pairs"}
void to_json(nlohmann::json& json, const RotationProbe& result);

}  // namespace pointpng
