#include <limits>

#include <torch/types.h>

#include "eval/embeddings.h"
#include "eval/input.h"
#include "eval/pca.h"
#include "eval/tsne.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

/// Nearest clouds of other shapes: another pose of the same shape would be no evidence.
double share_beside_their_class(const EmbeddingMap& map) {
  const Eigen::Index count = map.places.rows();
  std::int64_t right = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const MappedCloud& here = map.clouds[static_cast<std::size_t>(i)];
    double nearest = std::numeric_limits<double>::infinity();
    const MappedCloud* found = nullptr;
    for (Eigen::Index j = 0; j < count; ++j) {
      const MappedCloud& there = map.clouds[static_cast<std::size_t>(j)];
      if (there.shape == here.shape) continue;
      const double distance = (map.places.row(i) - map.places.row(j)).squaredNorm();
      if (distance < nearest) nearest = distance, found = &there;
    }
    right += found != nullptr && found->class_name == here.class_name ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace

EmbeddingMap map_embeddings(const EvaluationInput& input, const PosedShapesConfig& shapes,
                            MapMethod method, const TsneConfig& config,
                            const EvaluationHooks& hooks) {
  validate(config);
  const LoadedInput loaded = load_input(input, hooks);
  const PosedShapes posed = posed_shapes(loaded.shapes, loaded.model->config(), shapes);
  EmbeddingMap map;
  map.pose_names = posed.pose_names;
  for (std::size_t i = 0; i < posed.shape.size(); ++i) {
    const Shape& shape = loaded.shapes.shapes[posed.shape[i]];
    const std::string name = class_name(loaded.shapes, shape);
    map.clouds.push_back(
        {shape.name, name.empty() ? "unlabelled" : name, posed.shape[i], posed.pose[i]});
  }
  map.embeddings = embed_prepared(*loaded.model, posed.clouds);
  if (method == MapMethod::kPca) {
    const PrincipalComponents found = principal_components(map.embeddings, 2);
    map.places = found.coordinates;
    map.explained = {found.explained[0], found.explained[1]};
  } else {
    TsneMap found = tsne(map.embeddings, config, [&](std::int64_t done) {
      if (hooks.on_progress)
        hooks.on_progress("t-SNE",
                          static_cast<double>(done) / static_cast<double>(config.iterations));
    });
    map.places = std::move(found.coordinates);
    map.divergence = found.divergence;
    map.iterations = found.iterations;
    map.exact = found.exact;
  }
  map.trustworthiness = trustworthiness(map.embeddings, map.places);
  map.same_class = share_beside_their_class(map);
  return map;
}

}  // namespace pointpng
