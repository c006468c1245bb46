#include "model/search.h"

#include <limits>
#include <vector>

#include <torch/autograd.h>
#include <torch/types.h>

#include "base/parallel.h"
#include "model/rotation.h"

namespace pointpng {
namespace {

/// A row of hypotheses per pair; where fewer than K were found, the last repeats.
Hypotheses to_tensors(const std::vector<std::vector<RotationHypothesis>>& found, int count) {
  const auto batch = static_cast<std::int64_t>(found.size());
  Hypotheses result{torch::empty({batch, count, 4}), torch::empty({batch, count})};
  auto rotations = result.rotations.accessor<float, 3>();
  auto losses = result.losses.accessor<float, 2>();
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto& of_pair = found[static_cast<std::size_t>(b)];
    for (std::int64_t k = 0; k < count; ++k) {
      const auto& hypothesis = of_pair[std::min(static_cast<std::size_t>(k), of_pair.size() - 1)];
      const Eigen::Quaterniond& q = hypothesis.target_from_source;
      const double sign = q.w() < 0.0 ? -1.0 : 1.0;
      const double values[] = {q.w(), q.x(), q.y(), q.z()};
      for (std::int64_t i = 0; i < 4; ++i)
        rotations[b][k][i] = static_cast<float>(sign * values[i]);
      losses[b][k] = static_cast<float>(hypothesis.loss);
    }
  }
  return result;
}

Hypotheses search_by_correlation(const std::vector<std::int64_t>& channels, const Tensor& source,
                                 const Tensor& target, const RotationSearchConfig& config) {
  const Tensor from = source.detach().to(torch::kCPU, torch::kFloat32).contiguous(),
               to = target.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const auto row = [](const Tensor& z, std::int64_t b) {
    return Eigen::VectorXf(
        Eigen::Map<const Eigen::VectorXf>(z.data_ptr<float>() + b * z.size(1), z.size(1)));
  };
  std::vector<std::vector<RotationHypothesis>> found(static_cast<std::size_t>(from.size(0)));
  parallel_for(0, from.size(0), [&](std::int64_t b) {
    found[static_cast<std::size_t>(b)] =
        search_rotations(channels, row(from, b), row(to, b), config);
  });
  const Hypotheses result = to_tensors(found, config.num_hypotheses);
  return {result.rotations.to(source.device()), result.losses.to(source.device())};
}

}  // namespace

Tensor bidirectional_loss(Predictor& predictor, const Tensor& g, const Tensor& source,
                          const Tensor& target) {
  const Tensor forward = predictor.similarity(g, source, target);
  const Tensor backward =
      predictor.exact() ? forward : predictor.similarity(rotation::inverse(g), target, source);
  return 4.0 - 2.0 * forward - 2.0 * backward;
}

Hypotheses search_by_gradient(Predictor& predictor, const Tensor& source, const Tensor& target,
                              const RotationSearchConfig& config) {
  const torch::AutoGradMode with_gradient(true);
  const Tensor from = source.detach(), to = target.detach();
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(config.seed);
  Tensor g = rotation::uniform({config.starts}, generator).to(source.device());
  g = g.unsqueeze(0).expand({source.size(0), -1, -1}).contiguous();
  Tensor best_rotation = g;
  Tensor best_loss =
      torch::full({g.size(0), g.size(1)}, std::numeric_limits<float>::infinity(), g.options());
  for (int k = 0; k <= config.steps; ++k) {
    g = g.detach().requires_grad_(true);
    const Tensor loss = bidirectional_loss(predictor, g, from, to);
    const Tensor better = loss.detach() < best_loss;  // minimum tracking
    best_rotation = torch::where(better.unsqueeze(-1), g.detach(), best_rotation);
    best_loss = torch::where(better, loss.detach(), best_loss);
    if (k == config.steps) break;
    const Tensor gradient = torch::autograd::grad({loss.sum()}, {g})[0];
    g = rotation::canonical((g - config.step_size * gradient).detach());
  }
  const Tensor rotations = best_rotation.to(torch::kCPU, torch::kFloat64).contiguous(),
               losses = best_loss.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto q = rotations.accessor<double, 3>();
  const auto loss = losses.accessor<double, 2>();
  std::vector<std::vector<RotationHypothesis>> found;
  for (std::int64_t b = 0; b < rotations.size(0); ++b) {
    std::vector<RotationHypothesis> candidates;
    for (std::int64_t s = 0; s < rotations.size(1); ++s)
      candidates.push_back(
          {Eigen::Quaterniond(q[b][s][0], q[b][s][1], q[b][s][2], q[b][s][3]), loss[b][s]});
    found.push_back(
        pick_distinct(std::move(candidates), config.num_hypotheses, config.distinct_deg));
  }
  const Hypotheses result = to_tensors(found, config.num_hypotheses);
  return {result.rotations.to(source.device()), result.losses.to(source.device())};
}

Hypotheses search(Model& model, const Tensor& source, const Tensor& target,
                  const RotationSearchConfig& config) {
  if (model.config().predictor == "wigner")
    return search_by_correlation(model.config().channels, source, target, config);
  return search_by_gradient(model.predictor(), source, target, config);
}

}  // namespace pointpng
