#include "eval/tsne.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "eval/quadtree.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

/// Squared distances from rows `begin` … `end` of the items to all of them. Inside a parallel
/// region Eigen computes them by one thread, so that they do not depend on the number of threads.
Rows squared_distances(const Rows& items, const Eigen::VectorXd& squares, Eigen::Index begin,
                       Eigen::Index end) {
  Rows distances = -2.0 * items.middleRows(begin, end - begin) * items.transpose();
  distances.colwise() += squares.segment(begin, end - begin);
  distances.rowwise() += squares.transpose();
  return distances.cwiseMax(0.0);
}

struct Neighbour {
  double distance = 0.0;  ///< squared
  std::int64_t item = 0;
  bool operator<(const Neighbour& other) const {
    return std::tie(distance, item) < std::tie(other.distance, other.item);
  }
};

/// The nearest others of one item, nearest first; ties go to the smaller index.
std::vector<Neighbour> nearest_others(const Eigen::Ref<const Eigen::RowVectorXd>& distances,
                                      std::int64_t self, std::int64_t count) {
  std::vector<Neighbour> others;
  others.reserve(static_cast<std::size_t>(distances.size()));
  for (Eigen::Index j = 0; j < distances.size(); ++j)
    if (j != self) others.push_back({distances[j], j});
  const auto kept = others.begin() + std::min<std::ptrdiff_t>(count, std::ssize(others));
  std::partial_sort(others.begin(), kept, others.end());
  others.erase(kept, others.end());
  return others;
}

/// p_{j|i}: Gaussian, as wide as the perplexity asks for; found by bisection.
std::vector<double> conditional_affinities(const std::vector<Neighbour>& neighbours,
                                           double perplexity) {
  constexpr int kSteps = 100;
  constexpr double kTolerance = 1e-5;
  const double wanted = std::log(perplexity), nearest = neighbours.front().distance;
  double precision = 1.0, low = 0.0, high = std::numeric_limits<double>::infinity();
  std::vector<double> p(neighbours.size());
  for (int step = 0; step < kSteps; ++step) {
    double sum = 0.0, weighted = 0.0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double beyond = neighbours[j].distance - nearest;  // same p, without underflow
      p[j] = std::exp(-precision * beyond);
      sum += p[j];
      weighted += p[j] * beyond;
    }
    const double entropy = std::log(sum) + precision * weighted / sum;
    for (double& value : p) value /= sum;
    if (std::abs(entropy - wanted) < kTolerance) break;
    (entropy > wanted ? low : high) = precision;
    precision = std::isinf(high) ? 2.0 * precision : 0.5 * (low + high);
  }
  return p;
}

/// p_ij = (p_{j|i} + p_{i|j}) / 2n, stored by rows.
Affinities symmetrised(const std::vector<std::vector<Neighbour>>& neighbours,
                       const std::vector<std::vector<double>>& conditional) {
  const std::size_t n = neighbours.size();
  std::vector<std::vector<std::pair<std::int64_t, double>>> rows(n);
  const double share = 0.5 / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < neighbours[i].size(); ++k) {
      const auto j = static_cast<std::size_t>(neighbours[i][k].item);
      rows[i].emplace_back(j, share * conditional[i][k]);
      rows[j].emplace_back(i, share * conditional[i][k]);
    }
  Affinities joint;
  joint.first.push_back(0);
  for (auto& row : rows) {
    std::ranges::stable_sort(row, {}, &std::pair<std::int64_t, double>::first);
    for (const auto& [column, value] : row) {
      const bool again =
          std::ssize(joint.column) > joint.first.back() && joint.column.back() == column;
      if (again) {
        joint.value.back() += value;
        continue;
      }
      joint.column.push_back(column);
      joint.value.push_back(value);
    }
    joint.first.push_back(std::ssize(joint.column));
  }
  return joint;
}

using Place = Eigen::RowVector2d;

/// Repulsive forces on one item: Σ_j w_ij² (y_i - y_j), and Σ_j w_ij with
/// w_ij = 1 / (1 + |y_i - y_j|²).
struct Push {
  Place force = Place::Zero();
  double weight = 0.0;
};

Push push_of_all(const Rows& map, Eigen::Index i) {
  const double x = map(i, 0), y = map(i, 1);
  double force_x = 0.0, force_y = 0.0, weight = 0.0;
  for (Eigen::Index j = 0; j < map.rows(); ++j) {
    const double dx = x - map(j, 0), dy = y - map(j, 1);
    const double w = 1.0 / (1.0 + dx * dx + dy * dy);
    weight += w;
    force_x += w * w * dx;
    force_y += w * w * dy;
  }
  return {{force_x, force_y}, weight - 1.0};  // without itself
}

Push push_of_tree(const Quadtree& tree, const Rows& map, Eigen::Index i, double theta) {
  Push push;
  tree.visit(map.row(i), i, theta, [&](const Place& away, double squared, double count) {
    const double w = 1.0 / (1.0 + squared);
    push.weight += count * w;
    push.force += count * w * w * away;
  });
  return push;
}

/// Attractive forces on one item: Σ_j p_ij w_ij (y_i - y_j), and its part of the divergence but for
/// the sum of all weights.
struct Pull {
  Place force = Place::Zero();
  double divergence = 0.0;
};

Pull pull_of_neighbours(const Affinities& affinities, const Rows& map, Eigen::Index i) {
  Pull pull;
  const auto row = static_cast<std::size_t>(i);
  for (std::int64_t k = affinities.first[row]; k < affinities.first[row + 1]; ++k) {
    const double p = affinities.value[static_cast<std::size_t>(k)];
    if (p <= 0.0) continue;  // underflowed: p log p is 0
    const Place away = map.row(i) - map.row(affinities.column[static_cast<std::size_t>(k)]);
    const double w = 1.0 / (1.0 + away.squaredNorm());
    pull.force += p * w * away;
    pull.divergence += p * std::log(p / w);
  }
  return pull;
}

Rows start_of(const Rows& items, const TsneConfig& config) {
  constexpr double kSpread = 1e-4;
  if (config.start == "pca") {
    Rows map = principal_components(items, 2).coordinates;
    const double deviation = std::sqrt(map.col(0).squaredNorm() / static_cast<double>(map.rows()));
    if (deviation > 0.0) return map * (kSpread / deviation);
  }
  Rows map(items.rows(), 2);
  Random random({config.seed, 47});
  for (Eigen::Index i = 0; i < map.rows(); ++i)
    for (Eigen::Index k = 0; k < 2; ++k) map(i, k) = kSpread * random.normal();
  return map;
}

/// Gradient descent with momentum and a gain per coordinate that grows while the sign stays.
class Descent {
 public:
  Descent(Rows start, double learning_rate)
      : map_(std::move(start)),
        step_(Rows::Zero(map_.rows(), 2)),
        gain_(Rows::Ones(map_.rows(), 2)),
        rate_(learning_rate) {}

  void take(const Rows& gradient, double momentum) {
    const auto turned = step_.array() * gradient.array() >= 0.0;
    gain_ = turned.select(0.8 * gain_, gain_.array() + 0.2).cwiseMax(0.01);
    step_ = momentum * step_ - rate_ * gain_.cwiseProduct(gradient);
    map_ += step_;
  }
  const Rows& map() const { return map_; }

 private:
  Rows map_, step_, gain_;
  double rate_;
};

void require_enough(std::int64_t items, const TsneConfig& config) {
  if (items < 4)
    throw InputError(
        fmt::format("t-SNE needs 4 items or more to draw a map of; there are {}", items));
  if (config.perplexity >= static_cast<double>(items))
    throw InputError(
        fmt::format("a perplexity of {:g} needs more than {:g} items and there are {}; give a "
                    "smaller one, such as {:g}",
                    config.perplexity, config.perplexity, items,
                    std::max(1.0, std::floor(static_cast<double>(items - 1) / 3.0))));
}

}  // namespace

void validate(const TsneConfig& config) {
  const auto require = [](bool good, const char* sentence) {
    if (!good) throw InputError(sentence);
  };
  require(config.perplexity >= 1.0, "the perplexity must be 1 or more");
  require(config.iterations >= 1, "t-SNE needs one iteration or more");
  require(config.theta >= 0.0 && config.theta <= 1.0, "theta must be between 0 and 1");
  require(config.early_exaggeration >= 1.0, "the early exaggeration must be 1 or more");
  require(config.learning_rate >= 0.0, "the learning rate can't be negative");
  require(config.method == "auto" || config.method == "exact" || config.method == "barnes-hut",
          "the method is auto, exact or barnes-hut");
  require(config.start == "pca" || config.start == "random", "the start is pca or random");
}

Affinities joint_affinities(const Rows& items, double perplexity, std::int64_t neighbours) {
  constexpr Eigen::Index kBlock = 32;
  const Eigen::Index n = items.rows();
  const Eigen::VectorXd squares = items.rowwise().squaredNorm();
  std::vector<std::vector<Neighbour>> near(static_cast<std::size_t>(n));
  std::vector<std::vector<double>> conditional(near.size());
#pragma omp parallel for schedule(dynamic)
  for (Eigen::Index begin = 0; begin < n; begin += kBlock) {
    const Eigen::Index end = std::min(n, begin + kBlock);
    const Rows distances = squared_distances(items, squares, begin, end);
    for (Eigen::Index i = begin; i < end; ++i) {
      auto& mine = near[static_cast<std::size_t>(i)];
      mine = nearest_others(distances.row(i - begin), i, neighbours);
      conditional[static_cast<std::size_t>(i)] = conditional_affinities(mine, perplexity);
    }
  }
  return symmetrised(near, conditional);
}

MapGradient map_gradient(const Affinities& affinities, const Rows& map, double theta,
                         double exaggeration) {
  const Eigen::Index n = map.rows();
  const Quadtree tree = theta > 0.0 ? Quadtree(map) : Quadtree();
  std::vector<Push> push(static_cast<std::size_t>(n));
  std::vector<Pull> pull(push.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    push[at] = theta > 0.0 ? push_of_tree(tree, map, i, theta) : push_of_all(map, i);
    pull[at] = pull_of_neighbours(affinities, map, i);
  }
  // Summed by one thread, in order: the result does not depend on the number of threads.
  double weight = 0.0;
  for (const Push& one : push) weight += one.weight;
  MapGradient result{std::log(weight), Rows(n, 2)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    result.divergence += pull[at].divergence;
    result.gradient.row(i) = 4.0 * (exaggeration * pull[at].force - push[at].force / weight);
  }
  return result;
}

TsneMap tsne(const Rows& items, const TsneConfig& config,
             const std::function<void(std::int64_t)>& on_iteration) {
  constexpr double kSmallestGradient = 1e-7;
  validate(config);
  const std::int64_t n = items.rows();
  require_enough(n, config);
  TsneMap result;
  result.exact = config.method == "exact" || (config.method == "auto" && n <= config.exact_up_to);
  const double theta = result.exact ? 0.0 : config.theta;
  const auto neighbours =
      result.exact ? n - 1
                   : std::min(n - 1, static_cast<std::int64_t>(3.0 * config.perplexity + 1));
  const Affinities affinities = joint_affinities(items, config.perplexity, neighbours);
  const double automatic = static_cast<double>(n) / (4.0 * config.early_exaggeration);
  Descent descent(start_of(items, config),
                  config.learning_rate > 0.0 ? config.learning_rate : std::max(50.0, automatic));
  for (std::int64_t k = 0; k < config.iterations; ++k) {
    const bool early = k < config.early_iterations;
    const MapGradient here =
        map_gradient(affinities, descent.map(), theta, early ? config.early_exaggeration : 1.0);
    result.iterations = k + 1;
    if (!early && here.gradient.norm() < kSmallestGradient) break;
    descent.take(here.gradient, early ? 0.5 : 0.8);
    if (on_iteration) on_iteration(k + 1);
  }
  result.coordinates = descent.map().rowwise() - descent.map().colwise().mean();
  result.divergence = map_gradient(affinities, result.coordinates, theta).divergence;
  return result;
}

double trustworthiness(const Rows& items, const Rows& map, std::int64_t neighbours) {
  constexpr std::int64_t kAsked = 2000;
  const std::int64_t n = items.rows();
  if (n < 4 || neighbours < 1) throw InputError("too few items to compare neighbourhoods of");
  const std::int64_t k = std::min(neighbours, (n - 1) / 2), asked = std::min(n, kAsked);
  const Eigen::VectorXd item_squares = items.rowwise().squaredNorm();
  const Eigen::VectorXd map_squares = map.rowwise().squaredNorm();
  std::vector<double> penalties(static_cast<std::size_t>(asked), 0.0);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t a = 0; a < asked; ++a) {
    const std::int64_t i = a * n / asked;
    const Rows in_items = squared_distances(items, item_squares, i, i + 1);
    const Rows on_map = squared_distances(map, map_squares, i, i + 1);
    const std::vector<Neighbour> order = nearest_others(in_items.row(0), i, n - 1);
    std::vector<std::int64_t> rank(static_cast<std::size_t>(n), 0);
    for (std::size_t r = 0; r < order.size(); ++r)
      rank[static_cast<std::size_t>(order[r].item)] = static_cast<std::int64_t>(r) + 1;
    for (const Neighbour& near : nearest_others(on_map.row(0), i, k))
      penalties[static_cast<std::size_t>(a)] += static_cast<double>(
          std::max<std::int64_t>(0, rank[static_cast<std::size_t>(near.item)] - k));
  }
  const double sum = std::accumulate(penalties.begin(), penalties.end(), 0.0);
  const auto size = static_cast<double>(k);
  return 1.0 - 2.0 * sum /
                   (static_cast<double>(asked) * size *
                    (2.0 * static_cast<double>(n) - 3.0 * size - 1.0));
}

}  // namespace pointpng
