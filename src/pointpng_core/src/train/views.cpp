#include "train/views.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <torch/types.h>

#include "base/rows.h"
#include "cloud/normalise.h"
#include "model/model.h"
#include "model/rotation.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

/// Ids of the random streams of one seed.
enum EpochStream : std::uint64_t { kEpochOrder = 1, kItem = 2 };

/// A view has at most this many times the model's points, which are chosen from it.
constexpr std::int64_t kOversampling = 2;

/// Two samples of the same surface: disjoint if there are enough points, else identical.
std::pair<Cloud, Cloud> two_samples(const Cloud& cloud, std::int64_t most, bool same,
                                    Random& random) {
  if (!same) return disjoint_samples(cloud, std::min<Eigen::Index>(cloud.rows() / 2, most), random);
  const std::vector<std::int64_t> rows = shuffled_rows(cloud.rows(), random);
  const Cloud one = rows_at(cloud, std::span(rows).first(std::min<std::size_t>(rows.size(), most)));
  return {one, one};
}

Cloud cropped(const Cloud& cloud, double lost, Random& random) {
  const Eigen::Vector3f normal = random.direction();
  const Eigen::VectorXf height = cloud * normal;
  std::vector<std::int64_t> order(static_cast<std::size_t>(cloud.rows()));
  std::iota(order.begin(), order.end(), 0);
  const auto kept = static_cast<std::ptrdiff_t>(static_cast<double>(cloud.rows()) * (1.0 - lost));
  std::nth_element(order.begin(), order.begin() + kept, order.end(),
                   [&](std::int64_t a, std::int64_t b) { return height[a] < height[b]; });
  return rows_at(cloud, std::span<const std::int64_t>(order).first(static_cast<std::size_t>(kept)));
}

void scatter_outliers(Cloud& cloud, double share, Random& random) {
  const Normalisation size = measure(cloud);
  const auto count = static_cast<std::int64_t>(static_cast<double>(cloud.rows()) * share);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::Vector3f inside(random.uniform(-1, 1), random.uniform(-1, 1),
                                 random.uniform(-1, 1));
    cloud.row(random.below(cloud.rows())) = (size.centre + size.scale * inside).transpose();
  }
}

}  // namespace

std::vector<std::int64_t> items_of_step(std::int64_t step, std::int64_t batch, std::int64_t count,
                                        std::uint64_t seed) {
  std::vector<std::int64_t> chosen, order(static_cast<std::size_t>(count));
  std::int64_t shuffled_epoch = -1;
  for (std::int64_t i = step * batch; i < (step + 1) * batch; ++i) {
    const std::int64_t epoch = i / count;
    if (epoch != shuffled_epoch) {
      std::iota(order.begin(), order.end(), 0);
      Random({seed, kEpochOrder, static_cast<std::uint64_t>(epoch)}).shuffle(order);
      shuffled_epoch = epoch;
    }
    chosen.push_back(order[static_cast<std::size_t>(i % count)]);
  }
  return chosen;
}

PairBatch PairBatch::to(torch::Device device) const {
  const auto moved = [&](const Tensor& tensor) {
    return tensor.defined() ? tensor.to(device) : tensor;
  };
  return {{moved(patches.centres), moved(patches.points)},
          moved(rotation),
          moved(clouds),
          moved(labels)};
}

Cloud augment(const Cloud& cloud, const ViewConfig& config, Random& random) {
  Cloud view = cloud;
  const float scale = measure(view).scale;
  if (random.uniform() < config.view_probability)
    view = visible_from(view, measure(view).centre + 3.0F * scale * random.direction());
  if (random.uniform() < config.crop_probability)
    view = cropped(view, config.crop_largest * random.uniform(), random);
  if (config.jitter > 0.0 && random.uniform() < 0.5F) {
    const float sigma = static_cast<float>(config.jitter) * random.uniform() * scale;
    for (Eigen::Index i = 0; i < view.size(); ++i) view.data()[i] += sigma * random.normal();
  }
  if (random.uniform() < config.outlier_probability)
    scatter_outliers(view, config.outlier_largest * random.uniform(), random);
  return view;
}

PairSource::PairSource(ShapeSet shapes, ModelConfig model, TrainConfig train, BatchShare share)
    : set_(std::move(shapes)), model_(std::move(model)), train_(std::move(train)), share_(share) {
  if (set_.shapes.empty()) throw InputError("there are no shapes to train on");
  const Eigen::Index smallest =
      (train_.views.same_points ? 1 : 2) * std::max<std::int64_t>(model_.patch_points, 8);
  for (const Shape& shape : set_.shapes) require_usable(shape.points, shape.name, smallest);
}

double PairSource::steps_per_epoch() const {
  return static_cast<double>(shapes()) / static_cast<double>(train_.batch);
}

PairBatch PairSource::make(std::int64_t step) const {
  const torch::NoGradGuard no_grad;
  const auto chosen = items_of_step(step, train_.batch, shapes(), train_.seed);
  const std::int64_t batch = train_.batch / share_.size, first = share_.rank * batch;
  Tensor clouds = torch::empty({2 * batch, model_.points, 3});
  Tensor turns = torch::empty({2 * batch, 4});
  Tensor start = torch::empty({2 * batch}, torch::kInt64);
  for (std::int64_t i = 0; i < batch; ++i) {
    const auto item = static_cast<std::size_t>(first + i);
    const Shape& shape = set_.shapes[static_cast<std::size_t>(chosen[item])];
    Random random({train_.seed, kItem, static_cast<std::uint64_t>(step), item});
    const auto samples =
        two_samples(shape.points, kOversampling * model_.points, train_.views.same_points, random);
    for (const std::int64_t row : {i, i + batch}) {
      const Cloud& sample = row == i ? samples.first : samples.second;
      const Cloud view = augment(sample, train_.views, random);
      const bool usable = view.rows() >= model_.patch_points;
      clouds[row] = prepare(usable ? view : sample, model_, shape.name);
      const Eigen::Vector4f q = random.quaternion();
      turns[row] = torch::tensor({q[0], q[1], q[2], q[3]});
      start[row] = random.below(model_.points);
    }
  }
  PairBatch made;
  made.patches = cut_patches(rotation::rotate(turns, clouds), model_, start);
  made.rotation = rotation::canonical(rotation::multiply(
      turns.narrow(0, batch, batch), rotation::inverse(turns.narrow(0, 0, batch))));
  return made;
}

}  // namespace pointpng
