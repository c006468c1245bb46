#include "report/bar_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/axis.h"
#include "report/format.h"

namespace pointpng {
namespace {

// Units of the view box, as in the line charts.
constexpr double kBarsWidth = 600, kBarsLeft = 150, kBarsRight = 110, kBarsTop = 6, kRow = 30,
                 kBarsBottom = 24;
constexpr double kBarsPlotWidth = kBarsWidth - kBarsLeft - kBarsRight;
constexpr double kThickness = 16;

Axis value_axis(const BarChart& chart) {
  double low = 0.0, high = 0.0;  // bars stand on zero
  for (const Bar& bar : chart.bars) {
    if (!std::isfinite(bar.value)) continue;
    low = std::min(low, bar.value - (bar.value < 0.0 ? bar.spread : 0.0));
    high = std::max(high, bar.value + bar.spread);
  }
  return make_axis(low, high, Scale::kLinear, 5);
}

std::string value_text(const BarChart& chart, const Bar& bar) {
  if (!std::isfinite(bar.value)) return "not measured";
  return bar.spread > 0.0 ? format_spread(bar.value, bar.spread, chart.digits)
                          : format_fixed(bar.value, chart.digits);
}

std::string draw_bar(const BarChart& chart, const Bar& bar, const Axis& axis, double y) {
  const auto x_of = [&](double value) {
    return kBarsLeft + kBarsPlotWidth * std::clamp(axis.position(value), 0.0, 1.0);
  };
  const double middle = y + kThickness / 2;
  std::string svg = fmt::format(R"(<text class="y" x="{}" y="{:.1f}">{}</text>)", kBarsLeft - 8,
                                middle + 4, escape_html(bar.name));
  if (std::isfinite(bar.value)) {
    const double from = std::min(x_of(0.0), x_of(bar.value)),
                 to = std::max(x_of(0.0), x_of(bar.value));
    svg += fmt::format(
        R"(<rect class="line-1" fill="currentColor" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>)",
        from, y, to - from, kThickness);
    if (bar.spread > 0.0)
      svg += fmt::format(
          R"(<line style="stroke:var(--ink);stroke-width:2" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
          x_of(bar.value - bar.spread), x_of(bar.value + bar.spread), middle, middle);
  }
  return svg + fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", kBarsWidth - kBarsRight + 8,
                           middle + 4, value_text(chart, bar));
}

/// Alternative text.
std::string spoken_summary(const BarChart& chart) {
  std::string text = chart.title + ".";
  for (const Bar& bar : chart.bars)
    text += fmt::format(" {}: {}.", bar.name, value_text(chart, bar));
  return text;
}

}  // namespace

std::string bar_chart_svg(const BarChart& chart) {
  const Axis axis = value_axis(chart);
  const double bottom = kBarsTop + kRow * static_cast<double>(chart.bars.size());
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" aria-label="{}"><g class="grid">)",
      kBarsWidth, bottom + kBarsBottom, escape_html(spoken_summary(chart)));
  for (const double tick : axis.ticks) {
    const double x = kBarsLeft + kBarsPlotWidth * axis.position(tick);
    svg += fmt::format(R"(<line{} x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>)",
                       tick == 0.0 ? " class=\"base\"" : "", x, x, kBarsTop, bottom);
    svg += fmt::format(R"(<text class="x" x="{:.1f}" y="{}">{}</text>)", x, bottom + 16,
                       axis.label(tick));
  }
  svg += "</g>";
  double y = kBarsTop + (kRow - kThickness) / 2;
  for (const Bar& bar : chart.bars) {
    svg += draw_bar(chart, bar, axis, y);
    y += kRow;
  }
  return svg + "</svg>";
}

Html bar_chart_figure(const BarChart& chart) {
  return {fmt::format(
      "<figure class=\"chart\"><figcaption><h3>{}</h3><p>{}</p></figcaption>{}</figure>\n",
      escape_html(chart.title), escape_html(chart.explanation), bar_chart_svg(chart))};
}

}  // namespace pointpng
