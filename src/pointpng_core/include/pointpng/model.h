#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace pointpng {

/// Everything that determines the architecture. Stored in every checkpoint.
struct ModelConfig {
  std::string backbone = "equivariant";  ///< transformer (the paper's) | equivariant
  /// cope (the paper's) | wigner | sie | equimod | sen | identity
  std::string predictor = "wigner";

  // The cloud and its patches
  std::int64_t points = 512;       ///< points of a cloud that are looked at
  std::int64_t patches = 32;       ///< n: centres chosen by farthest point sampling
  std::int64_t patch_points = 16;  ///< k: nearest points of a centre

  // Tokens and transformer
  std::vector<std::int64_t> patch_widths = {32, 48, 128};  ///< layers of the mini-PointNet
  bool patch_batch_norm = false;                           ///< as Point-MAE has it
  std::int64_t width = 128;
  std::int64_t depth = 3;
  std::int64_t heads = 4;
  std::int64_t mlp_ratio = 2;
  std::int64_t decoder_depth = 1;  ///< of the transformer backbone and of masked autoencoding

  // The embedding z
  std::int64_t embedding = 128;  ///< length of z for all predictors but wigner
  std::vector<std::int64_t> channels = {8, 24, 16, 12,
                                        8};  ///< of degree 0, 1, … (equivariant, wigner)
  bool patch_moments = true;  ///< equivariant: directions from the patch's own shape too

  // COPE
  std::int64_t cope_reduction = 4;        ///< the paper's k: h'_g has embedding / k numbers
  std::int64_t cope_frequencies = 4;      ///< of the harmonic embedding of g
  std::int64_t cope_hidden = 128;         ///< of the shared MLP that expands columns
  std::int64_t cope_mlp = 256;            ///< of the MLP on the harmonic embedding
  std::string cope_input = "quaternion";  ///< quaternion (the paper's) | matrix (no jump at 180°)

  // SIE
  std::int64_t sie_invariant = 0;  ///< how many numbers of z its predictor leaves as they are
};

/// Length of z.
std::int64_t embedding_length(const ModelConfig& config);

/// Throws `InputError` with a sentence when the numbers don't fit together.
void validate(const ModelConfig& config);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ModelConfig, backbone, predictor, points, patches,
                                                patch_points, patch_widths, patch_batch_norm, width,
                                                depth, heads, mlp_ratio, decoder_depth, embedding,
                                                channels, patch_moments, cope_reduction,
                                                cope_frequencies, cope_hidden, cope_mlp, cope_input,
                                                sie_invariant)

}  // namespace pointpng
