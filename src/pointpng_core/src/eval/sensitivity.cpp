#include "eval/sensitivity.h"

#include <nlohmann/json.hpp>

namespace pointpng {

Sensitivity measure_sensitivity(Model& model, const ShapeSet& test, const ShapeSet* train,
                                const SensitivityConfig& config, std::uint64_t seed) {
  Sensitivity result;
  result.equivariance = measure_equivariance(
      model, turned_pairs(test, model.config(), config.pairs, seed), config.search);
  result.retrieval = measure_retrieval(
      model, embed_views(model, test, config.shapes, config.views, Turns::kUniform, seed));
  if (train != nullptr) {
    const auto views_of = [&](const ShapeSet& shapes, std::int64_t count, std::int64_t views) {
      return embed_views(model, shapes, count, views, Turns::kAs3DIEBench, seed);
    };
    result.probe =
        measure_rotation_probe(views_of(*train, config.probe.shapes, config.probe.views),
                               views_of(test, config.shapes, config.views), config.probe, seed);
  }
  return result;
}

void to_json(nlohmann::json& json, const Sensitivity& result) {
  json = result.equivariance;
  json["mrr"] = result.retrieval.mrr;
  json["h1"] = result.retrieval.hit_1;
  json["h5"] = result.retrieval.hit_5;
  json["retrieval"] = result.retrieval;
  if (!result.probe) return;
  json["r2"] = result.probe->r2;
  json["probe"] = *result.probe;
}

}  // namespace pointpng
