#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pointpng {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double mean_of_finite(Series::const_iterator first, Series::const_iterator last) {
  double sum = 0.0;
  std::size_t count = 0;
  for (; first != last; ++first) {
    if (!std::isfinite(first->y)) continue;
    sum += first->y;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : kNaN;
}

std::ptrdiff_t end_window(const Series& series) {
  return std::clamp<std::ptrdiff_t>(std::ssize(series) / 20, 1, 50);
}

/// The points of one stretch worth drawing, in their order.
void append_extremes(Series::const_iterator first, Series::const_iterator last, Series& out) {
  auto lowest = last, highest = last, gap = last;
  for (auto point = first; point != last; ++point) {
    if (!std::isfinite(point->y)) {
      gap = point;
      continue;
    }
    if (lowest == last || point->y < lowest->y) lowest = point;
    if (highest == last || point->y > highest->y) highest = point;
  }
  std::vector<Series::const_iterator> kept = {lowest, highest, gap};
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (const auto point : kept)
    if (point != last) out.push_back(*point);
}

}  // namespace

Series moving_average(const Series& series, std::size_t window) {
  const std::size_t half = window / 2;
  std::vector<double> sum(series.size() + 1, 0.0);
  std::vector<double> count(series.size() + 1, 0.0);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const bool finite = std::isfinite(series[i].y);
    sum[i + 1] = sum[i] + (finite ? series[i].y : 0.0);
    count[i + 1] = count[i] + (finite ? 1.0 : 0.0);
  }
  Series smooth(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t first = i - std::min(half, i), last = std::min(i + half + 1, series.size());
    smooth[i].x = series[i].x;
    smooth[i].y = std::isfinite(series[i].y)
                      ? (sum[last] - sum[first]) / (count[last] - count[first])
                      : series[i].y;
  }
  return smooth;
}

Series thin_keeping_extremes(const Series& series, std::size_t max_points) {
  if (series.size() <= max_points || max_points < 4) return series;
  // Both ends stay as they are; each stretch between them gives up to two points.
  const std::size_t stretches = (max_points - 2) / 2;
  const std::size_t inner = series.size() - 2;
  Series thinned = {series.front()};
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(1 + inner * i / stretches);
    const auto last = static_cast<std::ptrdiff_t>(1 + inner * (i + 1) / stretches);
    append_extremes(series.begin() + first, series.begin() + last, thinned);
  }
  thinned.push_back(series.back());
  return thinned;
}

double final_value(const Series& series) {
  if (series.empty() || !std::isfinite(series.back().y)) return kNaN;
  return mean_of_finite(series.end() - end_window(series), series.end());
}

double initial_value(const Series& series) {
  return series.empty() ? kNaN
                        : mean_of_finite(series.begin(), series.begin() + end_window(series));
}

}  // namespace pointpng
