#include "train/equivariance.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/random.h"
#include "base/rows.h"
#include "model/rotation.h"
#include "pointpng/error.h"
#include "train/rotation_error.h"
#include "train/view_embeddings.h"

namespace pointpng {

TurnedPairs turned_pairs(const ShapeSet& shapes, const ModelConfig& config, std::int64_t count,
                         std::uint64_t seed) {
  if (shapes.shapes.empty()) throw InputError("there are no shapes to make pairs of");
  TurnedPairs pairs;
  std::vector<Tensor> sources, targets, rotations;
  for (std::int64_t i = 0; i < count; ++i) {
    const Shape& shape = shapes.shapes[static_cast<std::size_t>(i) % shapes.shapes.size()];
    Random random({seed, 11, static_cast<std::uint64_t>(i)});
    const auto [source, target] = disjoint_samples(shape.points, shape.points.rows() / 2, random);
    sources.push_back(prepare(source, config, shape.name));
    targets.push_back(prepare(target, config, shape.name));
    for (int side = 0; side < 2; ++side) {
      const Eigen::Vector4f q = random.quaternion();
      rotations.push_back(torch::tensor({q[0], q[1], q[2], q[3]}));
    }
    pairs.names.push_back(shape.name);
  }
  const Tensor turns = torch::stack(rotations).view({count, 2, 4});
  pairs.source = rotation::rotate(turns.select(1, 0), torch::stack(sources));
  pairs.target = rotation::rotate(turns.select(1, 1), torch::stack(targets));
  pairs.rotation = rotation::canonical(
      rotation::multiply(turns.select(1, 1), rotation::inverse(turns.select(1, 0))));
  return pairs;
}

Equivariance measure_equivariance(Model& model, const TurnedPairs& pairs,
                                  const RotationSearchConfig& config, torch::Tensor* estimated) {
  const torch::NoGradGuard no_grad;
  const Tensor z = embed_all(model, pairs.source), z_plus = embed_all(model, pairs.target);
  const Tensor g = pairs.rotation.to(z.device());
  const Tensor predicted = model.predictor().apply(g, z);
  Equivariance result;
  result.pairs = z.size(0);
  result.pa = (predicted * z_plus).sum(-1).mean().item<double>();
  result.ae = result.pa - (z * z_plus).sum(-1).mean().item<double>();
  const Tensor found = search(model, z, z_plus, config).rotations.select(1, 0).cpu();
  result.search = rotation_errors(found, pairs.rotation);
  if (estimated != nullptr) *estimated = found;
  return result;
}

void to_json(nlohmann::json& json, const Equivariance& result) {
  json = result.search;
  json["pairs"] = result.pairs;
  json["pa"] = result.pa;
  json["ae"] = result.ae;
}

}  // namespace pointpng
