#include "embed/rotation_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include <Eigen/QR>

#include "base/geometry.h"
#include "base/parallel.h"
#include "embed/kernels.h"
#include "embed/similarity_peak.h"
#include "embed/yaw_search.h"

namespace pointpng {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kMostPeaks = 128;  // of the grid, among which the distinct are picked

/// Unit vectors at which the harmonics up to a degree determine a function of that degree, and per
/// degree the matrix that reads its coefficients off the values there.
struct Probe {
  Eigen::Matrix<double, Eigen::Dynamic, 3> directions;
  std::vector<Eigen::MatrixXd> inverse;  // [2l+1, P]
};

Eigen::MatrixXd harmonics_at(const Eigen::Matrix<double, Eigen::Dynamic, 3>& directions,
                             std::int64_t degree);

const Probe& probe_for(std::int64_t degree) {
  static std::mutex mutex;
  static std::map<std::int64_t, Probe> known;
  const std::scoped_lock lock(mutex);
  Probe& probe = known[degree];
  if (!probe.inverse.empty()) return probe;
  const std::int64_t count = 2 * (2 * degree + 1);
  probe.directions.resize(count, 3);
  for (std::int64_t i = 0; i < count; ++i) {  // Fibonacci sphere
    const double at = static_cast<double>(i) + 0.5;
    const double z = 1.0 - 2.0 * at / static_cast<double>(count);
    const double angle = at * std::numbers::pi * (3.0 - std::sqrt(5.0));
    const double radius = std::sqrt(1.0 - z * z);
    probe.directions.row(i) << radius * std::cos(angle), radius * std::sin(angle), z;
  }
  const Eigen::MatrixXd values = harmonics_at(probe.directions, degree);
  for (std::int64_t l = 0; l <= degree; ++l)
    probe.inverse.emplace_back(
        values.middleCols(l * l, 2 * l + 1).completeOrthogonalDecomposition().pseudoInverse());
  return probe;
}

/// Spherical harmonics in double precision, [P, (degree + 1)²].
Eigen::MatrixXd harmonics_at(const Eigen::Matrix<double, Eigen::Dynamic, 3>& directions,
                             std::int64_t degree) {
  Eigen::MatrixXd values(directions.rows(), (degree + 1) * (degree + 1));
  static const auto scales = [] {
    Eigen::MatrixXd table(kernels::kMostDegree + 1, kernels::kMostDegree + 1);
    for (Eigen::Index l = 0; l < table.rows(); ++l)
      for (Eigen::Index m = 0; m <= l; ++m) table(l, m) = kernels::harmonic_scale(l, m);
    return table;
  }();
  for (Eigen::Index i = 0; i < directions.rows(); ++i) {
    const double x = directions(i, 0), y = directions(i, 1), z = directions(i, 2);
    double real = 1.0, imaginary = 0.0, start = 1.0;  // (x + iy)^m and P_m^m without its sin^m
    for (std::int64_t m = 0; m <= degree; ++m) {
      double before = 0.0, p = start;
      for (std::int64_t l = m; l <= degree; ++l) {
        const std::int64_t column = m == 0 ? l * l : l * l + 2 * m - 1;
        const double scaled = scales(l, m) * p;
        values(i, column) = scaled * real;
        if (m > 0) values(i, column + 1) = scaled * imaginary;
        const double next =
            (static_cast<double>(2 * l + 1) * z * p - static_cast<double>(l + m) * before) /
            static_cast<double>(l + 1 - m);
        before = std::exchange(p, next);
      }
      start *= static_cast<double>(2 * m + 1);
      const double turned = x * real - y * imaginary;
      imaginary = x * imaginary + y * real;
      real = turned;
    }
  }
  return values;
}

/// The derivatives of D^l(exp(w)) at w = 0 along the three axes, each antisymmetric.
SimilarityPeak::Generators wigner_generators(std::int64_t degree) {
  // Central differences in double are exact to 1e-9 here; antisymmetrising removes the rest.
  constexpr double kStep = 1e-4;
  SimilarityPeak::Generators generators(static_cast<std::size_t>(degree) + 1);
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d direction = Eigen::Vector3d::Unit(axis);
    const auto at = [&](double angle) {
      return flat_wigner(Eigen::Quaterniond(Eigen::AngleAxisd(angle, direction)), degree);
    };
    const Eigen::VectorXd slope = (at(kStep) - at(-kStep)) / (2.0 * kStep);
    Eigen::Index first = 0;
    for (std::size_t l = 0; l < generators.size(); ++l) {
      const auto order = static_cast<Eigen::Index>(2 * l + 1);
      const Eigen::MatrixXd matrix =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              slope.data() + first, order, order);
      generators[l][static_cast<std::size_t>(axis)] = 0.5 * (matrix - matrix.transpose());
      first += order * order;
    }
  }
  return generators;
}

using Grid = RotationGrid;
using Neighbourhood = RotationGrid::Neighbourhood;

std::vector<Neighbourhood> nearest_rotations(const std::vector<Eigen::Quaternionf>& rotations) {
  const auto count = static_cast<Eigen::Index>(rotations.size());
  Eigen::Matrix<float, Eigen::Dynamic, 4> all(count, 4);
  for (Eigen::Index i = 0; i < count; ++i)
    all.row(i) = rotations[static_cast<std::size_t>(i)].coeffs().transpose();
  std::vector<Neighbourhood> rows(rotations.size());
  parallel_for(0, count, [&](std::int64_t i) {
    Eigen::VectorXf cosines = (all * all.row(i).transpose()).cwiseAbs();
    cosines[i] = -1.0F;  // not its own neighbour
    std::vector<int> order;
    // Some more than are needed are within this bound; where the grid is uneven it is lowered.
    for (float sine = 3.0F / std::cbrt(static_cast<float>(count));
         order.size() < Neighbourhood().size() && sine < 4.0F; sine *= 1.5F) {
      const float bound = sine < 1.0F ? std::sqrt(1.0F - sine * sine) : -0.5F;
      order.clear();
      for (Eigen::Index j = 0; j < count; ++j)
        if (cosines[j] > bound) order.push_back(static_cast<int>(j));
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b;
    });
    order.resize(Neighbourhood().size(), static_cast<int>(i));  // a tiny grid has fewer
    std::copy(order.begin(), order.end(), rows[static_cast<std::size_t>(i)].begin());
  });
  return rows;
}

/// C_l = Σ_channels target_l source_lᵀ, all degrees flattened one after the other.
Eigen::VectorXf correlate(const std::vector<std::int64_t>& channels, const Eigen::VectorXf& source,
                          const Eigen::VectorXf& target) {
  Eigen::Index numbers = 0, first = 0, place = 0;
  for (std::size_t l = 0; l < channels.size(); ++l)
    numbers += static_cast<Eigen::Index>((2 * l + 1) * (2 * l + 1));
  Eigen::VectorXf correlation(numbers);
  for (std::size_t l = 0; l < channels.size(); ++l) {
    const auto order = static_cast<Eigen::Index>(2 * l + 1);
    const Eigen::Map<const RowMatrix> from(source.data() + first, channels[l], order),
        to(target.data() + first, channels[l], order);
    Eigen::Map<RowMatrix>(correlation.data() + place, order, order).noalias() =
        to.transpose() * from;
    first += channels[l] * order;
    place += order * order;
  }
  return correlation;
}

/// Places on the grid where no neighbour is better, best first. Without that the best of the grid
/// would all lie on the highest peak, which is wide, and be refined to the same rotation.
std::vector<int> peaks(const Eigen::VectorXf& similarity, const Grid& grid) {
  std::vector<int> found;
  for (std::size_t i = 0; i < grid.rotations.size(); ++i) {
    const float here = similarity[static_cast<Eigen::Index>(i)];
    if (std::none_of(grid.neighbours[i].begin(), grid.neighbours[i].end(),
                     [&](int j) { return similarity[j] > here; }))
      found.push_back(static_cast<int>(i));
  }
  const auto better = [&](int a, int b) {
    return similarity[a] != similarity[b] ? similarity[a] > similarity[b] : a < b;
  };
  std::sort(found.begin(), found.end(), better);
  found.resize(std::min(found.size(), kMostPeaks));
  return found;
}

bool are_distinct(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b, double distinct_deg) {
  return std::abs(a.dot(b)) <= std::cos(0.5 * distinct_deg * kRadiansPerDegree);
}

/// Of places on the grid, best first, those that are distinct.
std::vector<int> distinct_places(const std::vector<int>& places, const Grid& grid,
                                 const RotationSearchConfig& config) {
  std::vector<int> chosen;
  for (const int place : places) {
    if (static_cast<int>(chosen.size()) == config.num_refined) break;
    const auto rotation = [&](int i) {
      return grid.rotations[static_cast<std::size_t>(i)].cast<double>();
    };
    if (std::all_of(chosen.begin(), chosen.end(), [&](int taken) {
          return are_distinct(rotation(place), rotation(taken), config.distinct_deg);
        }))
      chosen.push_back(place);
  }
  return chosen;
}

}  // namespace

std::vector<Eigen::Quaternionf> rotation_grid(std::int64_t count) {
  constexpr double kPhi = std::numbers::sqrt2;
  constexpr double kPsi = 1.533751168755204288118041;  // ψ⁴ = ψ + 4
  std::vector<Eigen::Quaternionf> rotations;
  for (std::int64_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) + 0.5, share = s / static_cast<double>(count);
    const double inner = std::sqrt(share), outer = std::sqrt(1.0 - share);
    const double alpha = 2.0 * std::numbers::pi * s / kPhi,
                 beta = 2.0 * std::numbers::pi * s / kPsi;
    const double sign = inner * std::sin(alpha) < 0.0 ? -1.0 : 1.0;
    rotations.push_back(
        Eigen::Quaterniond(sign * inner * std::sin(alpha), sign * inner * std::cos(alpha),
                           sign * outer * std::sin(beta), sign * outer * std::cos(beta))
            .normalized()
            .cast<float>());
  }
  return rotations;
}

Eigen::VectorXd flat_wigner(const Eigen::Quaterniond& q, std::int64_t degree) {
  const Probe& probe = probe_for(degree);
  const Eigen::MatrixXd values =
      harmonics_at(probe.directions * q.toRotationMatrix().transpose(), degree);
  Eigen::VectorXd flat((degree + 1) * (2 * degree + 1) * (2 * degree + 3) / 3);
  Eigen::Index first = 0;
  for (std::int64_t l = 0; l <= degree; ++l) {
    const Eigen::Index order = 2 * l + 1;
    // Y(R v)ᵀ = Y(v)ᵀ Dᵀ at every probe direction v.
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        flat.data() + first, order, order) =
        (probe.inverse[static_cast<std::size_t>(l)] * values.middleCols(l * l, order)).transpose();
    first += order * order;
  }
  return flat;
}

const RotationGrid& rotation_grid_with_wigner(int size, std::int64_t degree) {
  static std::mutex mutex;
  static std::map<std::pair<int, std::int64_t>, Grid> known;
  const std::scoped_lock lock(mutex);
  Grid& grid = known[{size, degree}];
  if (!grid.rotations.empty()) return grid;
  grid.rotations = rotation_grid(size);
  grid.wigner.resize(size, flat_wigner(Eigen::Quaterniond::Identity(), degree).size());
  for (int i = 0; i < size; ++i)
    grid.wigner.row(i) =
        flat_wigner(grid.rotations[static_cast<std::size_t>(i)].cast<double>(), degree)
            .transpose()
            .cast<float>();
  grid.neighbours = nearest_rotations(grid.rotations);
  grid.generators = wigner_generators(degree);
  return grid;
}

std::vector<RotationHypothesis> pick_distinct(std::vector<RotationHypothesis> candidates, int count,
                                              double distinct_deg) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.loss < b.loss; });
  std::vector<RotationHypothesis> picked;
  for (const RotationHypothesis& candidate : candidates) {
    if (static_cast<int>(picked.size()) == count) break;
    if (std::all_of(picked.begin(), picked.end(), [&](const RotationHypothesis& other) {
          return are_distinct(candidate.target_from_source, other.target_from_source, distinct_deg);
        }))
      picked.push_back(candidate);
  }
  return picked;
}

std::vector<RotationHypothesis> search_rotations(const std::vector<std::int64_t>& channels,
                                                 const Eigen::VectorXf& source,
                                                 const Eigen::VectorXf& target,
                                                 const RotationSearchConfig& config) {
  const auto degree = static_cast<std::int64_t>(channels.size()) - 1;
  const Eigen::VectorXf correlation = correlate(channels, source, target);
  if (config.up) return search_yaws(correlation, degree, *config.up, config);
  const Grid& grid = rotation_grid_with_wigner(config.grid_size, degree);
  const Eigen::VectorXf similarity = grid.wigner * correlation;
  const std::vector<int> places = distinct_places(peaks(similarity, grid), grid, config);
  std::vector<RotationHypothesis> refined(places.size());
  parallel_for(0, static_cast<std::int64_t>(places.size()), [&](std::int64_t k) {
    const int place = places[static_cast<std::size_t>(k)];
    const SimilarityPeak peak(grid.generators, correlation.data());
    const SimilarityPeak::Place found =
        peak.climb(grid.rotations[static_cast<std::size_t>(place)].cast<double>(),
                   grid.wigner.row(place).transpose(), config.newton_steps);
    refined[static_cast<std::size_t>(k)] = {found.rotation, embedding_loss(found.similarity)};
  });
  return pick_distinct(std::move(refined), config.num_hypotheses, config.distinct_deg);
}

}  // namespace pointpng
