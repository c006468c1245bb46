#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/rows.h"
#include "pointpng/error.h"
#include "pointpng/registration.h"
#include "pose/occupancy.h"
#include "pose/problem.h"

namespace pointpng {
namespace {

/// A scene without what was found in it, prepared again. What its sensor saw stays as it was.
std::shared_ptr<PreparedCloudData> prepare_rest(const PreparedCloudData& scene, const Cloud& rest,
                                                std::int64_t num_points) {
  auto prepared = prepare_cloud(rest, num_points, scene.name);
  prepared->centre += scene.centre;
  prepared->viewpoint = scene.viewpoint;
  prepared->up = scene.up;
  prepared->range_image = scene.range_image;
  prepared->embedder = scene.embedder;
  prepared->notes = scene.notes;
  prepared->holds_copies = true;
  return prepared;
}

/// The points of a scene (relative to its centre) that an instance does not explain.
Cloud unexplained(const Cloud& points, const PreparedCloudData& model,
                  const RigidTransform& scene_from_model, float reach) {
  const RigidTransform model_from_scene = scene_from_model.inverse();
  std::vector<std::int64_t> kept;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Eigen::Vector3f place = model_from_scene * points.row(i).transpose();
    const int row = nearest_row(model, place);
    if (row < 0 || (model.points.row(row).transpose() - place).norm() > reach) kept.push_back(i);
  }
  return rows_at(points, kept);
}

/// Removes instances that are hardly better than the best pose that is none.
void remove_doubtful(Instances& instances) {
  std::erase_if(instances.found, [&](const Alignment& instance) {
    return instance.score < kInstances.ahead * instances.rejected.score;
  });
}

}  // namespace

Instances Registration::align_instances(const PreparedCloud& source, const PreparedCloud& target,
                                        int max_instances) const {
  require_in_range(range_of("instances"), max_instances);
  const PreparedCloudData &model = source.data(), &scene = target.data();
  const RegistrationProblem problem(model, scene);
  const float reach = kInstances.explained * problem.spacing;
  Instances result;
  std::vector<RigidTransform> places;
  Cloud rest = scene.detail;
  // One more than asked for: what is rejected tells the instances from what only looks like them.
  while (std::ssize(places) <= max_instances) {
    std::optional<PreparedCloud> left;
    try {
      left = PreparedCloud(prepare_rest(scene, rest, config_.num_points));
    } catch (const InputError& used_up) {
      result.rejected.rejection_reason = used_up.what();
      break;
    }
    Alignment next = align(source, *left);
    if (!next.accepted) {
      result.rejected = std::move(next);
      break;
    }
    const RigidTransform pose = problem.centred(next.target_from_source);
    rest = unexplained(rest, model, pose, reach);
    if (std::all_of(places.begin(), places.end(), [&](const RigidTransform& other) {
          return leaves_its_place(model, other.inverse() * pose);
        }))
      result.found.push_back(std::move(next));
    places.push_back(pose);
  }
  remove_doubtful(result);
  std::stable_sort(
      result.found.begin(), result.found.end(),
      [](const Alignment& a, const Alignment& b) { return a.confidence > b.confidence; });
  if (std::ssize(result.found) > max_instances)
    result.found.resize(static_cast<std::size_t>(max_instances));
  return result;
}

}  // namespace pointpng
