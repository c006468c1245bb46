#include "eval/sensitivity.h"

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "eval/input.h"
#include "eval/retrieval.h"
#include "eval/rotation_probe.h"
#include "model/device.h"
#include "model/rotation.h"
#include "train/equivariance.h"
#include "train/rotation_error.h"
#include "train/run_data.h"

namespace pointpng {
namespace {

std::vector<RecoveredRotation> recover_with(Model& model, const ShapeSet& shapes,
                                            std::uint64_t seed) {
  const TurnedPairs pairs =
      turned_pairs(shapes, model.config(), static_cast<std::int64_t>(shapes.shapes.size()), seed);
  Tensor estimated;
  measure_equivariance(model, pairs, {}, &estimated);
  const Tensor identity = torch::tensor({1.0F, 0.0F, 0.0F, 0.0F});
  const Tensor true_deg = rotation_errors_deg(pairs.rotation, identity),
               estimated_deg = rotation_errors_deg(estimated, identity),
               error_deg = rotation_errors_deg(estimated, pairs.rotation);
  std::vector<RecoveredRotation> table;
  for (std::int64_t i = 0; i < estimated.size(0); ++i)
    table.push_back({pairs.names[static_cast<std::size_t>(i)], true_deg[i].item<double>(),
                     estimated_deg[i].item<double>(), error_deg[i].item<double>()});
  return table;
}

}  // namespace

Sensitivity measure_sensitivity(Model& model, const ShapeSet& test, const ShapeSet* train,
                                const SensitivityConfig& config, std::uint64_t seed) {
  Sensitivity result;
  RotationSearchConfig search;
  search.starts = config.search_starts;
  search.steps = config.search_steps;
  result.equivariance =
      measure_equivariance(model, turned_pairs(test, model.config(), config.pairs, seed), search);
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

Sensitivity measure_sensitivity(const EvaluationInput& input, const std::vector<std::string>& train,
                                const SensitivityConfig& config, const EvaluationHooks& hooks) {
  const LoadedInput loaded = load_input(input, hooks);
  ShapeSet shapes;
  if (!train.empty()) shapes = load_sources(train, input.load, hooks.on_message);
  return measure_sensitivity(*loaded.model, loaded.shapes, train.empty() ? nullptr : &shapes,
                             config, input.seed);
}

Retrieval measure_retrieval(const EvaluationInput& input, const SensitivityConfig& config,
                            const EvaluationHooks& hooks) {
  const LoadedInput loaded = load_input(input, hooks);
  return measure_retrieval(*loaded.model, embed_views(*loaded.model, loaded.shapes, config.shapes,
                                                      config.views, Turns::kUniform, input.seed));
}

std::vector<RecoveredRotation> recover_rotations(const std::filesystem::path& model,
                                                 const ShapeSet& shapes, std::uint64_t seed,
                                                 const ComputeOptions& compute) {
  return recover_with(*load_model(model, use(compute)).model, shapes, seed);
}

std::vector<RecoveredRotation> recover_rotations(const ModelConfig& untrained,
                                                 std::uint64_t weights_seed, const ShapeSet& shapes,
                                                 std::uint64_t seed,
                                                 const ComputeOptions& compute) {
  const torch::Device device = use(compute);
  torch::manual_seed(weights_seed);
  Model model(untrained);
  model.eval();
  model.to(device);
  return recover_with(model, shapes, seed);
}

}  // namespace pointpng
