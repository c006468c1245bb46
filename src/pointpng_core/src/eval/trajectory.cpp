#include "eval/trajectory.h"

#include <numbers>
#include <numeric>

#include <torch/types.h>

#include "base/random.h"
#include "base/rows.h"
#include "eval/embeddings.h"
#include "eval/input.h"
#include "eval/pca.h"
#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// Rotations of a full turn, [steps + 1, 4].
Tensor full_turn(const Eigen::Vector3d& axis, std::int64_t steps) {
  const Tensor angles = torch::arange(steps + 1, torch::kFloat64) *
                        (2.0 * std::numbers::pi / static_cast<double>(steps));
  const Tensor direction = torch::tensor({axis.x(), axis.y(), axis.z()}, torch::kFloat64);
  return rotation::exp(angles.unsqueeze(-1) * direction).to(torch::kFloat32);
}

/// The points of each step before rotation: [steps + 1, points, 3].
Tensor views_of(const Cloud& cloud, const ModelConfig& model, const TrajectoryConfig& config,
                std::string_view name) {
  const std::int64_t count = config.steps + 1;
  if (!config.resample) return prepare(cloud, model, name).unsqueeze(0).expand({count, -1, -1});
  std::vector<Tensor> views;
  for (std::int64_t k = 0; k < count; ++k) {
    Random random({config.seed, 61, static_cast<std::uint64_t>(k)});
    views.push_back(prepare(random_subset(cloud, cloud.rows() / 2, random), model, name));
  }
  return torch::stack(views);
}

std::vector<double> similarities(const Rows& a, const Rows& b) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < b.rows(); ++i)
    values.push_back(a.row(a.rows() == 1 ? 0 : i).dot(b.row(i)) /
                     (a.row(a.rows() == 1 ? 0 : i).norm() * b.row(i).norm()));
  return values;
}

}  // namespace

Trajectory turn_around(Model& model, const Cloud& cloud, const TrajectoryConfig& config,
                       std::string_view name) {
  const torch::NoGradGuard no_grad;
  const double length = config.axis.norm();
  if (!(length > 1e-9)) throw InputError("the axis 0 0 0 has no direction; give another one");
  const Tensor turns = full_turn(config.axis / length, config.steps);
  const Tensor clouds = rotation::rotate(turns, views_of(cloud, model.config(), config, name));

  Trajectory way;
  way.embedding = embed_prepared(model, clouds);
  const Tensor start =
      torch::from_blob(way.embedding.data(), {1, way.embedding.cols()}, torch::kFloat64)
          .to(model.device(), torch::kFloat32);
  const Tensor predicted = model.predictor()
                               .apply(turns.to(model.device()), start.expand({turns.size(0), -1}))
                               .to(torch::kCPU, torch::kFloat64)
                               .contiguous();
  way.predicted =
      Eigen::Map<const Rows>(predicted.data_ptr<double>(), predicted.size(0), predicted.size(1));
  for (std::int64_t k = 0; k <= config.steps; ++k)
    way.angle_deg.push_back(360.0 * static_cast<double>(k) / static_cast<double>(config.steps));
  way.to_start = similarities(way.embedding.topRows(1), way.embedding);
  way.to_predicted = similarities(way.predicted, way.embedding);
  return way;
}

std::vector<ShapeTrajectory> embedding_trajectories(const EvaluationInput& input,
                                                    const PosedShapesConfig& shapes,
                                                    const TrajectoryConfig& config,
                                                    const EvaluationHooks& hooks) {
  const LoadedInput loaded = load_input(input, hooks);
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  std::vector<ShapeTrajectory> all;
  for (const std::size_t i : chosen_shapes(loaded.shapes, shapes)) {
    const Shape& shape = loaded.shapes.shapes[i];
    ShapeTrajectory one;
    one.name = shape.name;
    one.class_name = class_name(loaded.shapes, shape);
    one.trajectory = turn_around(*loaded.model, shape.points, config, shape.name);
    const PrincipalComponents plane = principal_components(one.trajectory.embedding, 2);
    one.places = plane.coordinates;
    one.predicted_places = plane.project(one.trajectory.predicted);
    one.explained = {plane.explained[0], plane.explained[1]};
    one.pa = mean(one.trajectory.to_predicted);
    one.ae = one.pa - mean(one.trajectory.to_start);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace pointpng
