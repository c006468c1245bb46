#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>
#include <torch/types.h>

#include "eval/view_embeddings.h"
#include "model/model.h"

namespace pointpng {

/// Does the predictor find the right pose? As the paper takes it over from SIE: the predictor is
/// given z of one view of a shape and the rotation to another one; all views of that shape are
/// ranked by their similarity to what it predicts.
struct Retrieval {
  std::int64_t shapes = 0, views = 0, queries = 0;
  double mrr = 0.0;    ///< mean of 1 / rank of the right view
  double hit_1 = 0.0;  ///< H@1: share of the queries whose right view comes first
  double hit_5 = 0.0;  ///< H@5: … is among the first five
};

/// From the first view of each shape to each of the others. The first view itself stays among those
/// that are ranked (a predictor that moves nothing finds it), but is no query: that one is too
/// easy. Views that are equally similar share the mean of their ranks, so a collapsed embedding is
/// at chance.
Retrieval measure_retrieval(Model& model, const ViewEmbeddings& views);

/// Ranks [queries] of the right ones among candidates: similarity [queries, candidates] and the
/// place of the right candidate [queries].
torch::Tensor ranks_of(const torch::Tensor& similarity, const torch::Tensor& right);

/// The MRR of a predictor that guesses: the mean of 1 / rank over all ranks.
double chance_of_mrr(std::int64_t views);

/// {"shapes", "views", "queries", "mrr", "h1", "h5"}
void to_json(nlohmann::json& json, const Retrieval& result);

}  // namespace pointpng
