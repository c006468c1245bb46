#include "pose/normal_weights.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/random.h"
#include "pose/parameters.h"

namespace pointpng {
namespace {

constexpr int kSide = 12;  // cells along an edge of a face of the cube
constexpr int kCells = 3 * kSide * kSide;

/// The cell of the half cube that a line hits: both directions of a normal hit the same.
int cell_of(const Eigen::Vector3f& normal) {
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const auto coordinate = [&](int other) {
    const float along = 0.5F + 0.5F * normal[other] / normal[axis];
    return static_cast<int>(std::fmin(kSide - 1, std::fmax(0.0F, along * kSide)));  // NaN: 0
  };
  return (axis * kSide + coordinate((axis + 1) % 3)) * kSide + coordinate((axis + 2) % 3);
}

Eigen::Vector3f direction_of(int cell) {
  const auto along = [](int place) {
    return (static_cast<float>(place) + 0.5F) * 2.0F / kSide - 1.0F;
  };
  const int axis = cell / (kSide * kSide);
  Eigen::Vector3f direction;
  direction[axis] = 1.0F;
  direction[(axis + 1) % 3] = along(cell / kSide % kSide);
  direction[(axis + 2) % 3] = along(cell % kSide);
  return direction.normalized();
}

/// How much a normal in one cell counts for the density at another.
const Eigen::MatrixXf& kernel() {
  static const Eigen::MatrixXf table = [] {
    Eigen::MatrixXf directions(kCells, 3);
    for (int i = 0; i < kCells; ++i) directions.row(i) = direction_of(i).transpose();
    Eigen::MatrixXf cosines = (directions * directions.transpose()).cwiseAbs();
    cosines.array() = (cosines.array() - kNormalWeights.similar).max(0.0F);
    return Eigen::MatrixXf(cosines / (1.0F - kNormalWeights.similar));
  }();
  return table;
}

using WaitingRow = std::pair<float, std::int64_t>;

/// Rows with waiting times: those that wait shortest are drawn by weight (Efraimidis and Spirakis
/// 2006).
std::vector<WaitingRow> waiting_rows(const std::vector<std::int64_t>& rows,
                                     const std::vector<float>& weights, std::uint64_t key) {
  Random random({key});
  std::vector<WaitingRow> waiting;
  waiting.reserve(rows.size());
  for (const std::int64_t row : rows)
    waiting.emplace_back(
        -std::log(1.0F - random.uniform()) / weights[static_cast<std::size_t>(row)], row);
  return waiting;
}

}  // namespace

std::vector<float> normal_weights(const Cloud& normals) {
  std::vector<int> cells(static_cast<std::size_t>(normals.rows()));
  Eigen::VectorXf share = Eigen::VectorXf::Zero(kCells);
  for (Eigen::Index i = 0; i < normals.rows(); ++i) {
    cells[static_cast<std::size_t>(i)] = cell_of(normals.row(i).transpose());
    share[cells[static_cast<std::size_t>(i)]] += 1.0F / static_cast<float>(normals.rows());
  }
  const Eigen::VectorXf density = kernel() * share;
  std::vector<float> weights;
  weights.reserve(cells.size());
  for (const int cell : cells) weights.push_back(1.0F / (density[cell] + kNormalWeights.rarest));
  const float mean = std::accumulate(weights.begin(), weights.end(), 0.0F) /
                     static_cast<float>(std::max<std::size_t>(1, weights.size()));
  for (float& weight : weights) weight /= mean;
  return weights;
}

std::vector<std::int64_t> order_by_weight(const std::vector<float>& weights) {
  std::vector<std::int64_t> rows(weights.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<WaitingRow> waiting = waiting_rows(rows, weights, weights.size());
  std::sort(waiting.begin(), waiting.end());
  std::transform(waiting.begin(), waiting.end(), rows.begin(),
                 [](const WaitingRow& one) { return one.second; });
  return rows;
}

std::vector<std::int64_t> draw_by_weight(const std::vector<std::int64_t>& rows,
                                         const std::vector<float>& weights, std::size_t count,
                                         std::uint64_t key) {
  if (count >= rows.size()) return rows;
  std::vector<WaitingRow> waiting = waiting_rows(rows, weights, key);
  const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(waiting.begin(), end, waiting.end());
  std::vector<std::int64_t> drawn;
  std::transform(waiting.begin(), end, std::back_inserter(drawn),
                 [](const WaitingRow& one) { return one.second; });
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace pointpng
