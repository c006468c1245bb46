#include "pose/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "model/harmonics.h"
#include "model/rotation.h"
#include "model/wigner.h"
#include "pose/peak.h"

namespace pointpng {
namespace {

constexpr double kRadians = std::numbers::pi / 180.0;
constexpr std::int64_t kMostPeaks = 128;  // of the grid, among which the distinct are picked

/// Picks rotations from candidates [B, S, 4] with losses [B, S]: the best, then the best that is
/// far enough from those taken. `places` [B, count] tells which candidates they were.
Hypotheses pick_distinct(const Tensor& rotations, const Tensor& losses, std::int64_t count,
                         double distinct_deg, Tensor* places = nullptr) {
  const double closest = std::cos(0.5 * distinct_deg * kRadians);
  Tensor open = losses.clone();
  std::vector<Tensor> picked_rotations, picked_losses, picked_places;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto [value, index] = open.min(1, true);  // [B, 1]
    const Tensor none_left = value.isinf();
    Tensor rotation = rotations.gather(1, index.unsqueeze(-1).expand({-1, -1, 4}));
    Tensor loss = value, place = index;
    if (k > 0) {
      place = torch::where(none_left, picked_places.back(), place);
      rotation = torch::where(none_left.unsqueeze(-1), picked_rotations.back(), rotation);
      loss = torch::where(none_left, picked_losses.back(), loss);
    }
    picked_rotations.push_back(rotation);
    picked_losses.push_back(loss);
    picked_places.push_back(place);
    const Tensor near = (rotations * rotation).sum(-1).abs() > closest;
    open.masked_fill_(near, std::numeric_limits<float>::infinity());
  }
  if (places != nullptr) *places = torch::cat(picked_places, 1);
  return {torch::cat(picked_rotations, 1), torch::cat(picked_losses, 1)};
}

SimilarityPeak::Generators generators_on_cpu(std::int64_t degree) {
  SimilarityPeak::Generators generators;
  for (const Tensor& of_degree : wigner_generators(degree)) {
    const Tensor values = of_degree.to(torch::kFloat64).contiguous();
    const std::int64_t order = values.size(1);
    auto& three = generators.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis)
      three[axis] =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              values.data_ptr<double>() + static_cast<std::int64_t>(axis) * order * order, order,
              order);
  }
  return generators;
}

/// The grid of rotations with its Wigner matrices: made once for each size, degree and device.
struct Grid {
  Tensor rotations;   // [G, 4]
  Tensor wigner;      // [Σ (2l+1)², G]
  Tensor rows;        // the same, a row a rotation
  Tensor neighbours;  // [G, n]: the nearest others
  SimilarityPeak::Generators generators;
};

Tensor grid_neighbours(const Tensor& rotations) {
  constexpr std::int64_t kNeighbours = 12;  // as many as touch one ball in a dense packing
  const std::int64_t kept = std::min(kNeighbours, rotations.size(0) - 1);
  std::vector<Tensor> rows;
  for (const Tensor& block : rotations.split(1024)) {  // no G × G matrix for a large grid
    const Tensor nearest = std::get<1>(block.matmul(rotations.t()).abs().topk(kept + 1, 1));
    rows.push_back(nearest.narrow(1, 1, kept));  // the nearest is the rotation itself
  }
  return torch::cat(rows);
}

const Grid& grid_for(std::int64_t size, std::int64_t degree, torch::Device device) {
  static std::mutex mutex;
  static std::map<std::tuple<std::int64_t, std::int64_t, std::string>, Grid> known;
  const std::scoped_lock lock(mutex);
  Grid& grid = known[{size, degree, device.str()}];
  if (!grid.rotations.defined()) {
    grid.rotations = rotation::grid(size, device);
    grid.rows = flat_wigner(grid.rotations, degree).contiguous();
    grid.wigner = grid.rows.t().contiguous();
    grid.neighbours = grid_neighbours(grid.rotations);
    grid.generators = generators_on_cpu(degree);
  }
  return grid;
}

/// Where no neighbour on the grid is better, [B, G]. Without it the best of the grid would all lie
/// on the highest peak, which is wide, and be polished to the same rotation.
Tensor peaks(const Tensor& similarity, const Grid& grid) {
  const Tensor around = similarity.index_select(1, grid.neighbours.flatten())
                            .view({similarity.size(0), similarity.size(1), -1});
  return similarity >= around.amax(-1);
}

/// First and second derivatives of Σ_l ⟨C_l, D^l(exp(w) g)⟩ at w = 0, as linear maps of C_l
/// D^l(g)ᵀ.
struct Derivatives {
  std::vector<Tensor> first;   // [3, (2l+1)²]: G_a
  std::vector<Tensor> second;  // [9, (2l+1)²]: (G_a G_b + G_b G_a) / 2
};

const Derivatives& derivatives_for(std::int64_t degree, torch::Device device) {
  static std::mutex mutex;
  static std::map<std::pair<std::int64_t, std::string>, Derivatives> known;
  const std::scoped_lock lock(mutex);
  Derivatives& made = known[{degree, device.str()}];
  if (!made.first.empty()) return made;
  for (const Tensor& generator : wigner_generators(degree)) {
    const Tensor product = generator.unsqueeze(1).matmul(generator.unsqueeze(0));  // [3, 3, n, n]
    made.first.push_back(generator.flatten(1).to(device, torch::kFloat32));
    made.second.push_back((0.5 * (product + product.transpose(0, 1)))
                              .flatten(2)
                              .flatten(0, 1)
                              .to(device, torch::kFloat32));
  }
  return made;
}

struct Expansion {
  Tensor value;     // [B, S]
  Tensor gradient;  // [B, S, 3]
  Tensor hessian;   // [B, S, 3, 3]
};

/// The similarity of each pair around rotations g [B, S, 4], to second order.
Expansion expand(const Tensor& correlation, const Tensor& g, std::int64_t degree) {
  const Derivatives& derivatives = derivatives_for(degree, g.device());
  const auto matrices = wigner_matrices(g, degree);
  Expansion sum;
  std::int64_t first = 0;
  for (std::int64_t l = 0; l <= degree; ++l) {
    const std::int64_t order = 2 * l + 1;
    const Tensor c = correlation.narrow(1, first, order * order).view({-1, 1, order, order});
    // ⟨C, G D⟩ = ⟨C Dᵀ, G⟩ for any G.
    const Tensor turned = c.matmul(matrices[static_cast<std::size_t>(l)].transpose(-1, -2));
    const Tensor flat = turned.flatten(2);
    const auto at = static_cast<std::size_t>(l);
    const Tensor value = turned.diagonal(0, -2, -1).sum(-1);
    const Tensor gradient = flat.matmul(derivatives.first[at].t());
    const Tensor hessian = flat.matmul(derivatives.second[at].t());
    sum.value = l == 0 ? value : sum.value + value;
    sum.gradient = l == 0 ? gradient : sum.gradient + gradient;
    sum.hessian = l == 0 ? hessian : sum.hessian + hessian;
    first += order * order;
  }
  sum.hessian = sum.hessian.unflatten(-1, {3, 3});
  return sum;
}

/// Solves A x = b for symmetric positive definite 3 × 3 systems […, 3, 3] by the adjugate.
Tensor solve3(const Tensor& a, const Tensor& b) {
  const auto row = [&](int i) { return a.select(-2, i); };
  const Tensor c0 = torch::cross(row(1), row(2), -1), c1 = torch::cross(row(2), row(0), -1),
               c2 = torch::cross(row(0), row(1), -1);
  const Tensor determinant = (row(0) * c0).sum(-1, true);
  const Tensor adjugate = torch::stack({c0, c1, c2}, -1);
  return adjugate.matmul(b.unsqueeze(-1)).squeeze(-1) / determinant;
}

/// The largest eigenvalue of symmetric 3 × 3 matrices, in closed form.
Tensor largest_eigenvalue(const Tensor& a) {
  const Tensor mean = a.diagonal(0, -2, -1).mean(-1);
  const Tensor centred = a - mean.unsqueeze(-1).unsqueeze(-1) * torch::eye(3, a.options());
  const Tensor size = (centred.square().sum(-1).sum(-1) / 6.0).sqrt().clamp_min(1e-20);
  const auto row = [&](int i) { return centred.select(-2, i); };
  const Tensor determinant = (row(0) * torch::cross(row(1), row(2), -1)).sum(-1);
  const Tensor cosine = (determinant / (2.0 * size * size * size)).clamp(-1.0, 1.0);
  return mean + 2.0 * size * torch::cos(torch::acos(cosine) / 3.0);
}

/// Newton steps uphill on SO(3), damped where the similarity is not concave; a step that does not
/// help is not taken.
void polish(const Tensor& correlation, Tensor& g, Tensor& value, std::int64_t degree,
            std::int64_t steps) {
  constexpr double kLongestStep = 0.2;  // radians: about the grid's spacing
  Expansion here = expand(correlation, g, degree);
  Tensor damping = torch::zeros_like(here.value);
  for (std::int64_t i = 0; i < steps; ++i) {
    const Tensor curvature = here.hessian.diagonal(0, -2, -1).abs().sum(-1) + 1e-9;
    const Tensor shift =
        1.5 * largest_eigenvalue(here.hessian).clamp_min(0.0) + (damping + 1e-4) * curvature;
    const Tensor system =
        shift.unsqueeze(-1).unsqueeze(-1) * torch::eye(3, g.options()) - here.hessian;
    Tensor step = solve3(system, here.gradient);
    step = step * (kLongestStep / step.norm(2, -1, true).clamp_min(kLongestStep));
    const Tensor moved = rotation::canonical(rotation::multiply(rotation::exp(step), g));
    const Expansion there = expand(correlation, moved, degree);
    const Tensor better = there.value >= here.value;
    const Tensor mask = better.unsqueeze(-1);
    g = torch::where(mask, moved, g);
    here.value = torch::where(better, there.value, here.value);
    here.gradient = torch::where(mask, there.gradient, here.gradient);
    here.hessian = torch::where(mask.unsqueeze(-1), there.hessian, here.hessian);
    damping = torch::where(better, 0.2 * damping, 10.0 * damping + 0.1);
  }
  value = here.value;
}

/// `polish` for the CPU, one rotation after the other: g [B, S, 4] and its places on the grid.
void polish_on_cpu(const Tensor& correlation, const Grid& grid, const Tensor& places, Tensor& g,
                   Tensor& value, std::int64_t steps) {
  const Tensor rows = correlation.contiguous(), wigner = grid.rows;
  g = g.contiguous();
  value = torch::empty({g.size(0), g.size(1)});
  const auto indices = places.accessor<std::int64_t, 2>();
  auto rotations = g.accessor<float, 3>();
  auto values = value.accessor<float, 2>();
  const std::int64_t starts = g.size(1);
  at::parallel_for(
      0, g.size(0) * starts, std::max<std::int64_t>(1, starts / 2),
      [&](std::int64_t begin, std::int64_t end) {
        std::optional<SimilarityPeak> peak;
        for (std::int64_t k = begin; k < end; ++k) {
          const std::int64_t b = k / starts, s = k % starts;
          if (!peak || s == 0)
            peak.emplace(grid.generators, rows.data_ptr<float>() + b * rows.size(1));
          const Eigen::Map<const Eigen::VectorXf> at_start(
              wigner.data_ptr<float>() + indices[b][s] * wigner.size(1), wigner.size(1));
          auto q = rotations[b][s];
          const auto found =
              peak->climb(Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized(), at_start, steps);
          const double sign = found.rotation.w() < 0.0 ? -1.0 : 1.0;
          q[0] = static_cast<float>(sign * found.rotation.w());
          q[1] = static_cast<float>(sign * found.rotation.x());
          q[2] = static_cast<float>(sign * found.rotation.y());
          q[3] = static_cast<float>(sign * found.rotation.z());
          values[b][s] = static_cast<float>(found.similarity);
        }
      });
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
                              const SearchConfig& config) {
  const torch::AutoGradMode with_gradient(true);
  const Tensor from = source.detach(), to = target.detach();
  torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
  generator.set_current_seed(config.seed);
  Tensor g = rotation::uniform({config.starts}, generator).to(source.device());
  g = g.unsqueeze(0).expand({source.size(0), -1, -1}).contiguous();
  Tensor best_rotation = g;
  Tensor best_loss =
      torch::full({g.size(0), g.size(1)}, std::numeric_limits<float>::infinity(), g.options());
  for (std::int64_t k = 0; k <= config.steps; ++k) {
    g = g.detach().requires_grad_(true);
    const Tensor loss = bidirectional_loss(predictor, g, from, to);
    const Tensor better = loss.detach() < best_loss;  // minimum tracking
    best_rotation = torch::where(better.unsqueeze(-1), g.detach(), best_rotation);
    best_loss = torch::where(better, loss.detach(), best_loss);
    if (k == config.steps) break;
    const Tensor gradient = torch::autograd::grad({loss.sum()}, {g})[0];
    g = rotation::canonical((g - config.step_size * gradient).detach());
  }
  return pick_distinct(best_rotation, best_loss, config.hypotheses, config.distinct_deg);
}

Hypotheses search_by_correlation(const std::vector<std::int64_t>& channels, const Tensor& source,
                                 const Tensor& target, const SearchConfig& config) {
  const torch::NoGradGuard no_grad;
  const auto degree = static_cast<std::int64_t>(channels.size()) - 1;
  const Grid& grid = grid_for(config.grid, degree, source.device());
  const Tensor correlation = correlate(source, target, channels);
  const Tensor similarity = correlation.matmul(grid.wigner);  // [B, G]
  const auto [best, best_places] = similarity
                                       .masked_fill(peaks(similarity, grid).logical_not(),
                                                    -std::numeric_limits<float>::infinity())
                                       .topk(std::min(kMostPeaks, similarity.size(1)), 1);
  const Tensor rotations =
      grid.rotations.index_select(0, best_places.flatten()).view({best.size(0), -1, 4});
  Tensor picked, value;
  Tensor g =
      pick_distinct(rotations, 4.0 - 4.0 * best, config.polished, config.distinct_deg, &picked)
          .rotations;
  const Tensor places = best_places.gather(1, picked);
  if (source.is_cpu())
    polish_on_cpu(correlation, grid, places, g, value, config.newton_steps);
  else
    polish(correlation, g, value, degree, config.newton_steps);
  return pick_distinct(g, 4.0 - 4.0 * value, config.hypotheses, config.distinct_deg);
}

Hypotheses search(Model& model, const Tensor& source, const Tensor& target,
                  const SearchConfig& config) {
  if (model.config().predictor == "wigner")
    return search_by_correlation(model.config().channels, source, target, config);
  return search_by_gradient(model.predictor(), source, target, config);
}

}  // namespace pointpng
