#pragma once

#include <optional>

#include <torch/types.h>

#include "model/model.h"
#include "model/search.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// `source` and `target` are embeddings [1, d] of the model.
Landscape loss_landscape(Model& model, const torch::Tensor& source, const torch::Tensor& target,
                         const std::optional<Eigen::Quaterniond>& truth,
                         const LandscapeConfig& config = {},
                         const RotationSearchConfig& searched = {});

}  // namespace pointpng
