#pragma once

#include <cstdint>

#include <torch/types.h>

#include "model/model.h"
#include "pointpng/evaluation.h"
#include "train/view_embeddings.h"

namespace pointpng {

/// From the first view of each shape to each of the others. The first view itself stays among those
/// that are ranked (a predictor that moves nothing finds it), but is not a query: that would be too
/// easy. Views that are equally similar share the mean of their ranks, so a collapsed embedding is
/// at chance.
Retrieval measure_retrieval(Model& model, const ViewEmbeddings& views);

/// Ranks [queries] of the right ones among candidates: similarity [queries, candidates] and the
/// place of the right candidate [queries].
torch::Tensor ranks_of(const torch::Tensor& similarity, const torch::Tensor& right);

}  // namespace pointpng
