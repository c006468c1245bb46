#pragma once

#include <string>
#include <vector>

namespace pointpng {

enum class Scale { kLinear, kLogarithmic };

/// One axis of a chart: its range and its ticks.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  Scale scale = Scale::kLinear;
  std::vector<double> ticks;

  /// 0 at `low`, 1 at `high`.
  double position(double value) const;
  /// "0.25", "20k", "1e-4": with the decimals that the tick spacing needs.
  std::string label(double tick) const;
};

/// An axis that shows `low` to `high` with about `tick_count` ticks at 1, 2 or 5 times a power of
/// ten. A range without extent is widened. A logarithmic axis needs `low` > 0.
Axis make_axis(double low, double high, Scale scale, int tick_count);

}  // namespace pointpng
