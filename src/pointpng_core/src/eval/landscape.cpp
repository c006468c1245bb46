#include "eval/landscape.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/types.h>

#include "base/geometry.h"
#include "eval/input.h"
#include "model/rotation.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

using torch::Tensor;

/// Losses of rotations [G, 4], block by block: a predictor may need d × d numbers for each. A block
/// is computed by one thread, so that the result does not depend on the number of threads.
Tensor losses_at(Model& model, const Tensor& rotations, const Tensor& source,
                 const Tensor& target) {
  std::vector<Tensor> blocks = rotations.split(2048);
  const auto compute = [&](std::int64_t begin, std::int64_t end) {
    const torch::NoGradGuard also_in_this_thread;
    for (std::int64_t b = begin; b < end; ++b) {
      Tensor& block = blocks[static_cast<std::size_t>(b)];
      block = bidirectional_loss(model.predictor(), block.to(source.device()), source, target)
                  .squeeze(0)
                  .cpu();
    }
  };
  const auto count = static_cast<std::int64_t>(blocks.size());
  if (source.is_cpu())
    at::parallel_for(0, count, 1, compute);
  else
    compute(0, count);
  return torch::cat(blocks);
}

/// Unit vectors in the middle of the cells, [latitudes · longitudes, 3].
Tensor cell_axes(std::int64_t latitudes) {
  const auto middles = [](std::int64_t count, double half) {
    return (torch::arange(count, torch::kFloat32) + 0.5) *
               (2.0 * half / static_cast<double>(count)) -
           half;
  };
  const Tensor latitude = middles(latitudes, std::numbers::pi / 2.0).unsqueeze(1);
  const Tensor longitude = middles(2 * latitudes, std::numbers::pi).unsqueeze(0);
  return torch::stack({latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(),
                       latitude.sin().expand({-1, 2 * latitudes})},
                      -1)
      .view({-1, 3});
}

SphereValues on_sphere(const Tensor& values, std::int64_t latitudes) {
  const Tensor flat = values.to(torch::kFloat32).contiguous();
  const float* data = flat.data_ptr<float>();
  return {latitudes, 2 * latitudes, {data, data + flat.numel()}};
}

Tensor as_tensor(const Eigen::Quaterniond& q) {
  return torch::tensor({q.w(), q.x(), q.y(), q.z()}, torch::kFloat32);
}

Eigen::Quaterniond as_quaternion(const Tensor& q) {
  const Tensor d = q.to(torch::kCPU, torch::kFloat64).contiguous();
  const double* v = d.data_ptr<double>();
  return Eigen::Quaterniond(v[0], v[1], v[2], v[3]).normalized();
}

void map_axes(Landscape& made, Model& model, const Tensor& source, const Tensor& target,
              const LandscapeConfig& config) {
  const Tensor axes = cell_axes(config.latitudes);
  Tensor best, best_angle;
  for (std::int64_t k = 0; k < config.angles; ++k) {
    const double angle =
        std::numbers::pi * static_cast<double>(k + 1) / static_cast<double>(config.angles);
    const Tensor loss = losses_at(model, rotation::exp(angle * axes), source, target);
    const Tensor here = torch::full_like(loss, angle * kDegreesPerRadian);
    const Tensor better = k == 0 ? torch::ones_like(loss, torch::kBool) : loss < best;
    best = k == 0 ? loss : torch::where(better, loss, best);
    best_angle = k == 0 ? here : torch::where(better, here, best_angle);
    made.highest = std::max(made.highest, loss.max().item<double>());
  }
  made.best_loss = on_sphere(best, config.latitudes);
  made.best_angle_deg = on_sphere(best_angle, config.latitudes);
  made.lowest = best.min().item<double>();
}

void look_around_centre(Landscape& made, Model& model, const Tensor& source, const Tensor& target,
                        const LandscapeConfig& config) {
  const Tensor axes = cell_axes(config.latitudes), centre = as_tensor(made.centre.rotation);
  for (const double degrees : config.shells_deg) {
    const Tensor g = rotation::multiply(rotation::exp(degrees / kDegreesPerRadian * axes), centre);
    const Tensor loss = losses_at(model, rotation::canonical(g), source, target);
    made.shells.push_back(on_sphere(loss, config.latitudes));
    made.shells_deg.push_back(degrees);
    made.lowest = std::min(made.lowest, loss.min().item<double>());
    made.highest = std::max(made.highest, loss.max().item<double>());
  }
  const auto steps = static_cast<std::int64_t>(std::lround(180.0 / config.curve_step_deg));
  const Tensor angles = torch::arange(-steps, steps + 1, torch::kFloat64) *
                        (std::numbers::pi / static_cast<double>(steps));
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    Tensor turns = torch::zeros({angles.size(0), 3}, torch::kFloat64);
    turns.select(1, axis).copy_(angles);
    const Tensor g = rotation::multiply(rotation::exp(turns).to(torch::kFloat32), centre);
    const Tensor loss =
        losses_at(model, rotation::canonical(g), source, target).to(torch::kFloat64).contiguous();
    LossCurve curve{std::string(1, static_cast<char>('x' + axis)), {}, {}};
    for (std::int64_t k = 0; k < angles.size(0); ++k) {
      curve.angle_deg.push_back(angles[k].item<double>() * kDegreesPerRadian);
      curve.loss.push_back(loss[k].item<double>());
    }
    made.curves.push_back(std::move(curve));
  }
}

void sum_up_distances(Landscape& made, Model& model, const Tensor& source, const Tensor& target,
                      const LandscapeConfig& config) {
  constexpr double kBin = 5.0;
  const Tensor grid = rotation::grid(config.grid);
  const Tensor loss = losses_at(model, grid, source, target);
  const Tensor distance =
      rotation::angle(grid, as_tensor(made.centre.rotation)) * kDegreesPerRadian;
  std::map<int, std::vector<double>> bins;
  const auto losses = loss.accessor<float, 1>();
  const auto distances = distance.accessor<float, 1>();
  for (std::int64_t i = 0; i < grid.size(0); ++i)
    bins[static_cast<int>(distances[i] / kBin)].push_back(losses[i]);
  for (auto& [bin, values] : bins) {
    std::ranges::sort(values);
    made.distances.push_back(
        {(bin + 0.5) * kBin, values.front(), values[values.size() / 2], values.back()});
  }
  made.below_truth = (loss < made.centre.loss).to(torch::kFloat64).mean().item<double>();
  made.lowest = std::min(made.lowest, loss.min().item<double>());
  made.highest = std::max(made.highest, loss.max().item<double>());
}

/// Two clouds and, where it is known, the rotation between them.
struct CloudPair {
  Cloud source, target;
  std::optional<Eigen::Quaterniond> truth;
  std::string name;
};

CloudPair load_pair(const EvaluationInput& input, const LandscapePair& wanted,
                    const LoadedInput& loaded, const OnMessage& on_message) {
  std::vector<std::string> notes;
  CloudPair made;
  if (input.data.empty()) {
    made = {load_cloud(wanted.source, input.load, &notes),
            load_cloud(wanted.target, input.load, &notes), std::nullopt,
            fmt::format("{} and {}", wanted.source.filename().string(),
                        wanted.target.filename().string())};
  } else {
    const PosePair pair =
        make_pairs(loaded.shapes, wanted.protocol, wanted.number + 1, input.seed, &notes).back();
    made = {pair.source, pair.target,
            Eigen::Quaterniond(pair.target_from_source.linear()).normalized(),
            pair.class_name.empty() ? pair.name : pair.class_name + " · " + pair.name};
  }
  pass_on(notes, on_message);
  return made;
}

}  // namespace

Landscape loss_landscape(Model& model, const Tensor& source, const Tensor& target,
                         const std::optional<Eigen::Quaterniond>& truth,
                         const LandscapeConfig& config, const RotationSearchConfig& searched) {
  Landscape made;
  const Hypotheses found = search(model, source, target, searched);
  const torch::NoGradGuard no_grad;
  for (std::int64_t k = 0; k < found.rotations.size(1); ++k) {
    const Eigen::Quaterniond rotation = as_quaternion(found.rotations[0][k]);
    const bool repeated = k > 0 && found.rotations[0][k].equal(found.rotations[0][k - 1]);
    if (!repeated) made.hypotheses.push_back({rotation, found.losses[0][k].item<double>()});
  }
  if (truth) {
    const Tensor g = rotation::canonical(as_tensor(*truth)).unsqueeze(0);
    made.truth = {truth->normalized(), losses_at(model, g, source, target).item<double>()};
  }
  made.centre = made.truth ? *made.truth : made.hypotheses.front();
  map_axes(made, model, source, target, config);
  look_around_centre(made, model, source, target, config);
  sum_up_distances(made, model, source, target, config);
  for (const LossAt& place : made.hypotheses)  // refined: below the minimum of the grid
    made.lowest = std::min(made.lowest, place.loss);
  return made;
}

PairLandscape evaluate_landscape(const EvaluationInput& input, const LandscapePair& wanted,
                                 const LandscapeConfig& config, const EvaluationHooks& hooks) {
  const bool files = !wanted.source.empty() && !wanted.target.empty();
  if (files != input.data.empty() || wanted.source.empty() != wanted.target.empty())
    throw InputError(
        "give either --data with --pair, or --source and --target; see 'pointpng eval landscape "
        "--help'");
  const LoadedInput loaded = load_input(input, hooks);
  const CloudPair pair = load_pair(input, wanted, loaded, hooks.on_message);
  return {pair.name,
          loss_landscape(*loaded.model, loaded.model->embed(pair.source, "the source"),
                         loaded.model->embed(pair.target, "the target"), pair.truth, config)};
}

}  // namespace pointpng
