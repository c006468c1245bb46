#include "report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "report/format.h"

namespace pointpng {
namespace {

/// The smallest 1, 2 or 5 times a power of ten that is not below `rough`.
double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1.0 - 1e-9)) return factor * power;
  return 10.0 * power;
}

std::vector<double> linear_ticks(double low, double high, int tick_count) {
  const double step = round_step((high - low) / std::max(1, tick_count));
  std::vector<double> ticks;
  // Counted in whole steps: adding up would drift, and print 0.30000000000000004.
  const auto first = static_cast<std::int64_t>(std::ceil(low / step - 1e-9)),
             last = static_cast<std::int64_t>(std::floor(high / step + 1e-9));
  for (std::int64_t i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int tick_count) {
  const double decades = std::log10(high / low);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, tick_count))));
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const bool dense = decades < 2.5;
  std::vector<double> ticks;
  for (int power = first; power <= std::log10(high); power += stride)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, power);
      const bool inside = tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9);
      if (inside && (factor == 1.0 || dense)) ticks.push_back(tick);
    }
  return ticks;
}

}  // namespace

double Axis::position(double value) const {
  if (scale == Scale::kLinear) return (value - low) / (high - low);
  return std::log(std::max(value, low) / low) / std::log(high / low);
}

std::string Axis::label(double tick) const {
  const double size = std::max(std::abs(low), std::abs(high));
  if (tick == 0.0) return "0";
  if (scale == Scale::kLogarithmic && std::abs(tick) >= 1e-2 && std::abs(tick) < 1e4)
    return fmt::format("{:g}", tick);
  if (scale == Scale::kLogarithmic || size < 1e-2 || size >= 1e7) return format_scientific(tick);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : size;
  if (step >= 100.0 && size >= 1e4) return fmt::format("{:g}k", tick / 1e3);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  return fmt::format("{:.{}f}", tick, decimals);
}

Axis make_axis(double low, double high, Scale scale, int tick_count) {
  Axis axis;
  axis.scale = scale;
  const bool logarithmic = scale == Scale::kLogarithmic;
  // Equal up to rounding: nothing to resolve, and a step would underflow.
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high)) || high <= low) {
    const double middle = low;
    const double reach = middle == 0.0 ? 1.0 : 0.5 * std::abs(middle);
    low = middle - reach;
    high = middle + reach;
  }
  axis.low = low;
  axis.high = high;
  axis.ticks =
      logarithmic ? logarithmic_ticks(low, high, tick_count) : linear_ticks(low, high, tick_count);
  // A range of less than a factor of two may contain no logarithmic tick.
  if (logarithmic && axis.ticks.size() < 2) axis.ticks = linear_ticks(low, high, tick_count);
  return axis;
}

}  // namespace pointpng
