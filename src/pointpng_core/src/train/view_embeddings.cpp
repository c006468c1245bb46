#include "train/view_embeddings.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/rows.h"
#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr std::int64_t kBatch = 32;

/// Ids of the random streams of one seed.
enum ViewStream : std::uint64_t { kViewOrder = 21, kView = 22 };

Eigen::Quaternionf draw_turn(Turns turns, Random& random) {
  if (turns == Turns::kUniform) {
    const Eigen::Vector4f q = random.quaternion();
    return {q[0], q[1], q[2], q[3]};
  }
  constexpr float kQuarter = std::numbers::pi_v<float> / 2.0F;
  Eigen::Quaternionf turn = Eigen::Quaternionf::Identity();
  for (int axis = 0; axis < 3; ++axis)
    turn =
        Eigen::AngleAxisf(random.uniform(-kQuarter, kQuarter), Eigen::Vector3f::Unit(axis)) * turn;
  return turn;
}

}  // namespace

torch::Tensor embed_all(Model& model, const torch::Tensor& clouds) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> parts;
  for (const Tensor& batch : clouds.split(kBatch)) parts.push_back(model.embed(batch));
  return torch::cat(parts);
}

ViewEmbeddings embed_views(Model& model, const ShapeSet& shapes, std::int64_t count,
                           std::int64_t views, Turns turns, std::uint64_t seed) {
  if (shapes.shapes.empty()) throw InputError("there are no shapes to make views of");
  Random of_order({seed, kViewOrder});
  const std::vector<std::int64_t> order = shuffled_rows(std::ssize(shapes.shapes), of_order);
  count = std::min(count, static_cast<std::int64_t>(order.size()));
  std::vector<Tensor> embedded, rotations;
  for (std::int64_t i = 0; i < count; ++i) {
    const Shape& shape =
        shapes.shapes[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    std::vector<Tensor> clouds, turned_by;
    for (std::int64_t view = 0; view < views; ++view) {
      Random random({seed, kView, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(view)});
      const auto rows = shuffled_rows(shape.points.rows(), random);
      const std::span<const std::int64_t> half(rows.data(), (rows.size() + 1) / 2);
      clouds.push_back(prepare(rows_at(shape.points, half), model.config(), shape.name));
      const Eigen::Quaternionf q = draw_turn(turns, random);
      turned_by.push_back(torch::tensor({q.w(), q.x(), q.y(), q.z()}));
    }
    rotations.push_back(torch::stack(turned_by));
    embedded.push_back(
        embed_all(model, rotation::rotate(rotations.back(), torch::stack(clouds))).cpu());
  }
  return {torch::stack(embedded), torch::stack(rotations)};
}

}  // namespace pointpng
