#include <algorithm>
#include <utility>

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

double share_right_of_accepted(std::span<const PairResult> rows) {
  std::int64_t accepted = 0, right = 0;
  for (const PairResult& row : rows) {
    if (!row.accepted) continue;
    ++accepted;
    right += row.rotation_deg < 5.0 || row.surface_ok ? 1 : 0;
  }
  return accepted == 0 ? 1.0 : static_cast<double>(right) / static_cast<double>(accepted);
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

}  // namespace

PairResult judge(const PosePair& pair, const Alignment& alignment) {
  PairResult row;
  row.name = pair.name;
  row.class_name = pair.class_name;
  row.accepted = alignment.accepted;
  row.reason = alignment.rejection_reason;
  row.estimated = Eigen::Quaterniond(alignment.target_from_source.linear()).normalized();
  row.truth = Eigen::Quaterniond(pair.target_from_source.linear()).normalized();
  row.rotation_deg = degrees_between(row.estimated, row.truth);
  row.translation =
      (alignment.target_from_source.translation() - pair.target_from_source.translation()).norm();
  const double radius = measure(pair.source).scale;
  row.diameter = 2.0 * radius;
  const Cloud& object = pair.object.rows() > 0 ? pair.object : pair.source;
  row.surface_distance =
      surface_distance(object, alignment.target_from_source, pair.target_from_source);
  row.surface_ok =
      row.surface_distance < kSurfaceSpacings * mean_spacing(object) + kSurfaceTolerance * radius;
  row.confidence = alignment.confidence;
  row.evidence = alignment.evidence;
  row.residual = alignment.residual;
  row.modes = alignment.num_symmetric_modes;
  row.stages_ms = alignment.times_ms;
  row.total_ms = alignment.times_ms.total;
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
  evaluation.accepted_right = share_right_of_accepted(all);
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
