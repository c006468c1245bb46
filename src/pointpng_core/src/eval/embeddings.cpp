#include "eval/embeddings.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/types.h>

#include "base/random.h"
#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr std::int64_t kMapBatch = 16;

std::vector<std::string> names_of(Poses poses) {
  if (poses == Poses::kAsIs) return {"as it is"};
  if (poses == Poses::kRandom) return {"as it is", "turned at random"};
  std::vector<std::string> names;
  for (int angle = 0; angle <= 180; angle += 30) names.push_back(fmt::format("{}°", angle));
  return names;
}

/// The rotation of a shape in one of its poses.
torch::Tensor rotation_of(const PosedShapesConfig& config, std::size_t shape, std::size_t pose) {
  if (config.poses == Poses::kSteps) {
    const double angle = static_cast<double>(pose) * std::numbers::pi / 6.0;
    return rotation::exp(torch::tensor({0.0, 0.0, angle}, torch::kFloat32));
  }
  if (pose == 0) return torch::tensor({1.0F, 0.0F, 0.0F, 0.0F});
  const Eigen::Vector4f q = Random({config.seed, 59, shape}).quaternion();
  return torch::tensor({q[0], q[1], q[2], q[3]});
}

}  // namespace

std::string class_name(const ShapeSet& set, const Shape& shape) {
  const bool named =
      shape.label >= 0 && static_cast<std::size_t>(shape.label) < set.class_names.size();
  return named ? set.class_names[static_cast<std::size_t>(shape.label)] : "";
}

std::vector<std::size_t> chosen_shapes(const ShapeSet& set, const PosedShapesConfig& config) {
  const std::set<std::string> wanted(config.classes.begin(), config.classes.end());
  for (const std::string& name : wanted)
    if (std::ranges::find(set.class_names, name) == set.class_names.end())
      throw InputError(fmt::format("the data have no class '{}'; they have: {}", name,
                                   fmt::join(set.class_names, ", ")));
  std::map<int, std::vector<std::int64_t>> classes;
  for (std::size_t i = 0; i < set.shapes.size(); ++i) {
    if (wanted.empty() || wanted.contains(class_name(set, set.shapes[i])))
      classes[set.shapes[i].label].push_back(static_cast<std::int64_t>(i));
  }
  for (auto& [label, members] : classes)
    Random({config.seed, 53, static_cast<std::uint64_t>(label + 1)}).shuffle(members);
  std::vector<std::size_t> chosen;
  for (std::size_t round = 0; std::ssize(chosen) < config.shapes; ++round) {
    bool any = false;
    for (const auto& [label, members] : classes) {
      if (round >= members.size() || std::ssize(chosen) >= config.shapes) continue;
      chosen.push_back(static_cast<std::size_t>(members[round]));
      any = true;
    }
    if (!any) break;
  }
  if (chosen.empty()) throw InputError("there are no shapes to embed");
  std::ranges::sort(chosen, {}, [&](std::size_t i) { return std::pair(set.shapes[i].label, i); });
  return chosen;
}

Rows embed_prepared(Model& model, const torch::Tensor& clouds) {
  const torch::NoGradGuard no_grad;
  const std::int64_t count = clouds.size(0);
  const std::int64_t batches = (count + kMapBatch - 1) / kMapBatch;
  std::vector<torch::Tensor> parts(static_cast<std::size_t>(batches));
  const auto embed = [&](std::int64_t begin, std::int64_t end) {
    const torch::NoGradGuard also_in_this_thread;
    for (std::int64_t b = begin; b < end; ++b)
      parts[static_cast<std::size_t>(b)] =
          model.embed(clouds.narrow(0, b * kMapBatch, std::min(kMapBatch, count - b * kMapBatch)))
              .cpu();
  };
  if (model.device().is_cpu())
    at::parallel_for(0, batches, 1, embed);
  else
    embed(0, batches);
  const torch::Tensor z = torch::cat(parts).to(torch::kFloat64).contiguous();
  return Eigen::Map<const Rows>(z.data_ptr<double>(), z.size(0), z.size(1));
}

PosedShapes posed_shapes(const ShapeSet& shapes, const ModelConfig& model,
                         const PosedShapesConfig& config) {
  PosedShapes posed;
  posed.pose_names = names_of(config.poses);
  std::vector<torch::Tensor> clouds;
  for (const std::size_t i : chosen_shapes(shapes, config)) {
    const torch::Tensor cloud = prepare(shapes.shapes[i].points, model, shapes.shapes[i].name);
    for (std::size_t pose = 0; pose < posed.pose_names.size(); ++pose) {
      clouds.push_back(rotation::rotate(rotation_of(config, i, pose), cloud));
      posed.shape.push_back(i);
      posed.pose.push_back(pose);
    }
  }
  posed.clouds = torch::stack(clouds);
  return posed;
}

}  // namespace pointpng
