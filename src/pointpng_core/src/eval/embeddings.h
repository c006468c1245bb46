#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/types.h>

#include "eval/pca.h"
#include "model/model.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// z of clouds that are prepared already, [N, points, 3] → N rows. On the CPU each cloud is
/// computed by one thread, in the same batch: the last digit does not depend on the number of
/// threads.
Rows embed_prepared(Model& model, const torch::Tensor& clouds);

/// The name of a shape's class; empty where it has none.
std::string class_name(const ShapeSet& set, const Shape& shape);

/// Rows of shapes as they are chosen: classes in turn, shuffled within each by the seed, then
/// sorted. Throws `InputError` where a class is not in the data or nothing is left.
std::vector<std::size_t> chosen_shapes(const ShapeSet& set, const PosedShapesConfig& config);

/// Clouds of shapes, each in all of its poses.
struct PosedShapes {
  torch::Tensor clouds;            ///< [N, points, 3], prepared for a model
  std::vector<std::size_t> shape;  ///< of each cloud: which of the set's shapes
  std::vector<std::size_t> pose;   ///< of each cloud: which of `pose_names`
  std::vector<std::string> pose_names;
};

PosedShapes posed_shapes(const ShapeSet& shapes, const ModelConfig& model,
                         const PosedShapesConfig& config);

}  // namespace pointpng
