#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/types.h>

#include "eval/pca.h"
#include "model/model.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// z of clouds that are prepared already, [N, points, 3] → N rows. On the CPU each cloud is
/// computed by one thread, in the same company: the last digit does not depend on the number of
/// threads.
Rows embed_prepared(Model& model, const torch::Tensor& clouds);

/// In which poses a shape is embedded.
enum class Poses {
  kAsIs,    ///< only as it is in the data
  kRandom,  ///< as it is, and turned at random: the paper's picture of all classes
  kSteps,   ///< turned about z in steps of 30° up to 180°: the paper's picture of one class
};

struct PosedShapesConfig {
  Poses poses = Poses::kAsIs;
  std::int64_t shapes = 500;              ///< at most, of all classes in turn
  std::vector<std::string> classes = {};  ///< only these; empty: all
  std::uint64_t seed = 0;                 ///< of the choice and of the rotations
};

/// Rows of shapes as they are chosen: classes in turn, shuffled within each by the seed, then
/// sorted. Throws `InputError` where a class is not in the data or nothing is left.
std::vector<std::size_t> chosen_shapes(const ShapeSet& set, const PosedShapesConfig& config);

/// Clouds of shapes, one after the other in each of their poses.
struct PosedShapes {
  torch::Tensor clouds;            ///< [N, points, 3], prepared for a model
  std::vector<std::size_t> shape;  ///< of each cloud: which of the set's shapes
  std::vector<std::size_t> pose;   ///< of each cloud: which of `pose_names`
  std::vector<std::string> pose_names;
};

PosedShapes posed_shapes(const ShapeSet& shapes, const ModelConfig& model,
                         const PosedShapesConfig& config);

}  // namespace pointpng
