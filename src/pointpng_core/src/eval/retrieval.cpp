#include "eval/retrieval.h"

#include <vector>

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng {

Tensor ranks_of(const Tensor& similarity, const Tensor& right) {
  const Tensor own = similarity.gather(1, right.unsqueeze(1));
  constexpr double kEqual = 1e-6;  // differences by rounding are ties
  const Tensor ahead = similarity - own;
  const Tensor better = (ahead > kEqual).sum(1), equal = (ahead.abs() <= kEqual).sum(1);
  return 1.0 + better.to(torch::kFloat64) + 0.5 * (equal.to(torch::kFloat64) - 1.0);
}

Retrieval measure_retrieval(Model& model, const ViewEmbeddings& views) {
  if (views.views() < 2) throw InputError("retrieval needs at least two views of each shape");
  const torch::NoGradGuard no_grad;
  const std::int64_t others = views.views() - 1;
  const Tensor right = torch::arange(1, views.views());
  std::vector<Tensor> ranks;
  for (std::int64_t i = 0; i < views.shapes(); ++i) {
    const Tensor z = views.z[i].to(model.device()), turned = views.rotation[i].to(model.device());
    const Tensor g = rotation::canonical(
        rotation::multiply(turned.narrow(0, 1, others), rotation::inverse(turned.narrow(0, 0, 1))));
    const Tensor predicted = model.predictor().apply(g, z.narrow(0, 0, 1));
    ranks.push_back(ranks_of(predicted.matmul(z.t()).cpu(), right));
  }
  const Tensor all = torch::cat(ranks);
  const auto share_within = [&](double k) {
    return (all <= k).to(torch::kFloat64).mean().item<double>();
  };
  return {views.shapes(),    views.views(),    all.numel(), all.reciprocal().mean().item<double>(),
          share_within(1.0), share_within(5.0)};
}

double chance_of_mrr(std::int64_t views) {
  double sum = 0.0;
  for (std::int64_t rank = 1; rank <= views; ++rank) sum += 1.0 / static_cast<double>(rank);
  return sum / static_cast<double>(views);
}

void to_json(nlohmann::json& json, const Retrieval& result) {
  json = {{"shapes", result.shapes}, {"views", result.views}, {"queries", result.queries},
          {"mrr", result.mrr},       {"h1", result.hit_1},    {"h5", result.hit_5}};
}

}  // namespace pointpng
