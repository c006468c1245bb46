#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>
#include <torch/types.h>

#include "base/geometry.h"
#include "base/stopwatch.h"
#include "cloud/normalise.h"
#include "eval/distances.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"
#include "train/rotation_error.h"

namespace pointpng {
namespace {

/// On top of the spacing of the points, as a share of the radius.
constexpr double kSurfaceSpacings = 1.2;     // two samples of one surface are 1.0 apart
constexpr double kSurfaceTolerance = 0.005;  // of the radius

double degrees_between(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return a.angularDistance(b) * kDegreesPerRadian;
}

/// Error of a rejected pair: the largest possible.
Eigen::Quaterniond opposite(const Eigen::Quaterniond& truth) {
  return truth * Eigen::Quaterniond(0, 1, 0, 0);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Rotation errors of `estimate(row)` over the rows.
template <class Estimate>
RotationErrors errors_of(std::span<const PairResult> rows, Estimate estimate) {
  const auto count = static_cast<std::int64_t>(rows.size());
  torch::Tensor estimated = torch::empty({count, 4}, torch::kFloat64);
  torch::Tensor truth = torch::empty({count, 4}, torch::kFloat64);
  const auto put = [](torch::Tensor& tensor, std::int64_t i, const Eigen::Quaterniond& q) {
    auto row = tensor.accessor<double, 2>()[i];
    row[0] = q.w(), row[1] = q.x(), row[2] = q.y(), row[3] = q.z();
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const PairResult& row = rows[static_cast<std::size_t>(i)];
    put(estimated, i, estimate(row));
    put(truth, i, row.truth);
  }
  return rotation_errors(estimated, truth);
}

PoseFigures figures_of(std::span<const PairResult> rows, bool rejected_fail) {
  const auto counts = [&](const PairResult& row) { return row.accepted || !rejected_fail; };
  PoseFigures figures;
  figures.rotation = errors_of(rows, [&](const PairResult& row) {
    return counts(row) ? row.estimated : opposite(row.truth);
  });
  std::vector<double> translations, on_surface;
  for (const PairResult& row : rows) {
    translations.push_back(counts(row) ? row.translation : row.diameter);
    on_surface.push_back(counts(row) && row.surface_ok ? 1.0 : 0.0);
  }
  figures.surface_ok = mean(on_surface);
  figures.translation_mean = mean(translations);
  figures.translation_median = median(translations);
  return figures;
}

void count(Verdicts& verdicts, const PairResult& row) {
  ++(row.accepted ? (row.right ? verdicts.accepted_right : verdicts.accepted_wrong)
                  : (row.right ? verdicts.right_rejected : verdicts.wrong_rejected));
}

void count_verdicts(PoseEvaluation& evaluation) {
  for (const PairResult& row : evaluation.rows) {
    count(evaluation.verdicts, row);
    if (!row.kind.empty()) count(evaluation.kinds[row.kind], row);
  }
  const auto [right, wrong, right_rejected, wrong_rejected] = evaluation.verdicts;
  evaluation.accepted_right =
      right + wrong == 0 ? 1.0 : static_cast<double>(right) / static_cast<double>(right + wrong);
}

/// Quantile of the chi-square distribution (Wilson and Hilferty 1931); z: of the standard normal.
double chi_square_quantile(double degrees_of_freedom, double z) {
  const double part = 2.0 / (9.0 * degrees_of_freedom);
  return degrees_of_freedom * std::pow(1.0 - part + z * std::sqrt(part), 3);
}

std::optional<Consistency> consistency_of(std::span<const PairResult> rows) {
  constexpr double kTwoSided95 = 1.959964;
  std::vector<double> values;
  for (const PairResult& row : rows)
    if (std::isfinite(row.nees)) values.push_back(row.nees);
  if (values.empty()) return std::nullopt;
  const auto pairs = static_cast<double>(values.size());
  return Consistency{static_cast<std::int64_t>(values.size()), mean(values),
                     chi_square_quantile(6.0 * pairs, -kTwoSided95) / pairs,
                     chi_square_quantile(6.0 * pairs, kTwoSided95) / pairs};
}

void sum_up_classes(PoseEvaluation& evaluation) {
  std::map<std::string, std::vector<PairResult>> classes;
  for (const PairResult& row : evaluation.rows)
    if (!row.class_name.empty()) classes[row.class_name].push_back(row);
  for (const auto& [name, rows] : classes) {
    evaluation.classes[name] = figures_of(rows, true);
    evaluation.class_sizes[name] = static_cast<std::int64_t>(rows.size());
  }
}

void sum_up_times(PoseEvaluation& evaluation) {
  const auto mean_of = [&](auto of_row) {
    std::vector<double> values;
    for (const PairResult& row : evaluation.rows) values.push_back(of_row(row));
    return mean(values);
  };
  StageTimes& times = evaluation.mean_ms;
  times.prepare = mean_of([](const PairResult& row) { return row.stages_ms.prepare; });
  times.embed = mean_of([](const PairResult& row) { return row.stages_ms.embed; });
  times.search = mean_of([](const PairResult& row) { return row.stages_ms.search; });
  times.parts = mean_of([](const PairResult& row) { return row.stages_ms.parts; });
  times.refine = mean_of([](const PairResult& row) { return row.stages_ms.refine; });
  times.total = mean_of([](const PairResult& row) { return row.total_ms; });
  evaluation.mean_cpu_ms = mean_of([](const PairResult& row) { return row.cpu_ms; });
  std::vector<double> totals;
  for (const PairResult& row : evaluation.rows) totals.push_back(row.total_ms);
  evaluation.median_ms = median(std::move(totals));
}

Alignment align_or_reject(const Aligner& align, const PosePair& pair) {
  try {
    return align(pair);
  } catch (const InputError& refused) {
    Alignment rejected;
    rejected.rejection_reason = refused.what();
    return rejected;
  }
}

PairResult timed(const Aligner& align, const PosePair& pair) {
  const Stopwatch watch;
  const Alignment alignment = align_or_reject(align, pair);
  const double total_ms = 1e3 * watch.seconds(), cpu_ms = 1e3 * watch.cpu_seconds();
  PairResult row = judge(pair, alignment);
  row.total_ms = total_ms;
  row.cpu_ms = cpu_ms;
  return row;
}

/// Middle of the bounding box, and the distance from it that 99 % of the points keep: a few strays
/// don't change it much.
struct Extent {
  Eigen::Vector3d centre;
  double radius;
};

Extent extent_of(const Cloud& cloud) {
  const Eigen::RowVector3f middle =
      0.5F * (cloud.colwise().minCoeff() + cloud.colwise().maxCoeff());
  Eigen::VectorXf distances = (cloud.rowwise() - middle).rowwise().norm();
  const auto last = static_cast<Eigen::Index>(0.99 * static_cast<double>(distances.size() - 1));
  std::nth_element(distances.begin(), distances.begin() + last, distances.end());
  return {middle.transpose().cast<double>(), distances[last]};
}

/// Normalised estimation error squared; NaN without a covariance.
double nees_of(const Alignment& alignment, const Eigen::Isometry3d& truth) {
  const Eigen::LDLT<PoseCovariance> covariance(alignment.covariance);
  if (!covariance.isPositive() || !(covariance.vectorD().minCoeff() > 0.0))
    return std::numeric_limits<double>::quiet_NaN();
  const Eigen::AngleAxisd turn(alignment.target_from_source.linear() * truth.linear().transpose());
  Eigen::Matrix<double, 6, 1> error;
  error << alignment.target_from_source.translation() - truth.translation(),
      turn.angle() * turn.axis();
  return error.dot(covariance.solve(error));
}

void compare_with_truth(const PosePair& pair, const Alignment& alignment, PairResult& row) {
  constexpr double kLargestAngle = 5.0;      // degrees
  constexpr double kLargestDistance = 0.05;  // MSSD, of the radius
  const Eigen::Isometry3d& estimate = alignment.target_from_source;
  const Eigen::Isometry3d& truth = pair.target_from_source;
  const Extent extent = extent_of(pair.source);
  row.translation = (estimate.translation() - truth.translation()).norm();
  row.centre_offset = (estimate * extent.centre - truth * extent.centre).norm() / extent.radius;
  const Cloud& object = pair.object.rows() > 0 ? pair.object : pair.source;
  row.surface_distance = surface_distance(object, estimate, truth);
  row.surface_ok = row.surface_distance <
                   kSurfaceSpacings * mean_spacing(object) + kSurfaceTolerance * 0.5 * row.diameter;
  row.right = row.rotation_deg < kLargestAngle && row.centre_offset < pair.centre_tolerance;
  if (row.right) {
    row.nees = nees_of(alignment, truth);
  } else {
    row.mssd = symmetry_distance(object, truth.inverse() * estimate) / extent_of(object).radius;
    row.right = row.mssd < kLargestDistance;
  }
}

/// There is no right answer.
void call_wrong(PairResult& row) {
  row.translation = row.diameter;
  row.centre_offset = std::numeric_limits<double>::quiet_NaN();
  row.surface_distance = row.diameter;
}

}  // namespace

PairResult judge(const PosePair& pair, const Alignment& alignment) {
  PairResult row;
  row.name = pair.name;
  row.class_name = pair.class_name;
  row.kind = pair.kind;
  row.accepted = alignment.accepted;
  row.reason = alignment.rejection_reason;
  row.confidence = alignment.confidence;
  row.evidence = alignment.evidence;
  row.residual = alignment.residual;
  row.modes = alignment.num_symmetric_modes;
  row.stages_ms = alignment.times_ms;
  row.total_ms = alignment.times_ms.total;
  row.diameter = 2.0 * measure(pair.source).scale;
  row.estimated = Eigen::Quaterniond(alignment.target_from_source.linear()).normalized();
  row.truth = Eigen::Quaterniond(pair.target_from_source.linear()).normalized();
  if (!pair.present) row.truth = opposite(row.estimated);
  row.rotation_deg = degrees_between(row.estimated, row.truth);
  pair.present ? compare_with_truth(pair, alignment, row) : call_wrong(row);
  return row;
}

PoseEvaluation summarise(std::vector<PairResult> rows) {
  if (rows.empty()) throw InputError("there are no pairs to measure");
  PoseEvaluation evaluation;
  evaluation.rows = std::move(rows);
  const std::span<const PairResult> all(evaluation.rows);
  evaluation.rejected = std::ranges::count(all, false, &PairResult::accepted);
  evaluation.figures = figures_of(all, true);
  evaluation.if_all_accepted = figures_of(all, false);
  evaluation.consistency = consistency_of(all);
  count_verdicts(evaluation);
  if (std::ranges::all_of(all, [](const PairResult& row) { return row.searched.has_value(); }))
    evaluation.search_only = errors_of(all, [](const PairResult& row) { return *row.searched; });
  sum_up_classes(evaluation);
  sum_up_times(evaluation);
  return evaluation;
}

PoseEvaluation evaluate_pose(const std::vector<PosePair>& pairs, const Aligner& align,
                             const SearchOnly& search,
                             const std::function<void(std::int64_t)>& on_pair) {
  if (!pairs.empty()) align_or_reject(align, pairs.front());
  std::vector<PairResult> rows;
  for (const PosePair& pair : pairs) {
    PairResult row = timed(align, pair);
    if (search) row.searched = search(pair);
    rows.push_back(std::move(row));
    if (on_pair) on_pair(static_cast<std::int64_t>(rows.size()));
  }
  return summarise(std::move(rows));
}

}  // namespace pointpng
