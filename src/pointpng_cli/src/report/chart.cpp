#include "report/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "report/format.h"

namespace pointpng {
namespace {

// Units of the view box. The page scales the drawing; in a narrow window text grows (page.css).
constexpr double kWidth = 600, kHeight = 270;
constexpr double kLeft = 58, kRight = 24, kTop = 16, kBottom = 44;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kHeight - kTop - kBottom;
constexpr std::size_t kMaxPoints = 600, kMaxAveragedPoints = 300, kMaxMarkers = 40;
constexpr std::size_t kColours = 6;  // --line-1 to --line-6 of the style sheet

/// A line, prepared for drawing.
struct Curve {
  const ChartLine* line;
  Series measured;  ///< empty where it equals `main`
  Series main;
  std::size_t window = 1;  ///< points averaged into one of `main`
  std::size_t colour = 1;
};

struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

/// The range of the values without a fraction `share` at either end.
ValueRange middle_range(const Series& series, double share) {
  std::vector<double> values;
  for (const SeriesPoint& point : series)
    if (std::isfinite(point.y)) values.push_back(point.y);
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return {values[cut], values[values.size() - 1 - cut]};
}

Curve make_curve(const ChartLine& line) {
  constexpr std::size_t kWorthAveraging = 40;
  Curve curve{&line, {}, line.points, 1, 1};
  if (line.noisy && line.points.size() >= kWorthAveraging) {
    curve.window = std::max<std::size_t>(5, line.points.size() / 40) | 1;
    curve.measured = thin_keeping_extremes(line.points, kMaxPoints);
    curve.main = moving_average(line.points, curve.window);
  }
  curve.main = thin_keeping_extremes(curve.main, kMaxAveragedPoints);
  return curve;
}

std::vector<Curve> make_curves(const LineChart& chart) {
  std::vector<Curve> curves;
  for (const ChartLine& line : chart.lines) {
    const std::size_t place =
        line.colour < 0 ? curves.size() : static_cast<std::size_t>(line.colour);
    curves.push_back(make_curve(line));
    curves.back().colour = place % kColours + 1;
  }
  return curves;
}

Axis make_x_axis(const std::vector<Curve>& curves) {
  ValueRange range;
  for (const Curve& curve : curves)
    for (const SeriesPoint& point : curve.main) range.include(point.x);
  if (range.empty()) return make_axis(0.0, 1.0, Scale::kLinear, 5);
  // Charts that start a little later still line up with their neighbours.
  const bool near_zero = range.low > 0.0 && range.low <= 0.25 * range.high;
  return make_axis(near_zero ? 0.0 : range.low, range.high, Scale::kLinear, 6);
}

Axis make_y_axis(const std::vector<Curve>& curves, Scale scale) {
  ValueRange range;
  for (const Curve& curve : curves) {
    for (const SeriesPoint& point : curve.main)
      if (std::isfinite(point.y)) range.include(point.y);
    // Without the extremes: a single spike must not flatten everything else.
    const ValueRange most = middle_range(curve.measured, 0.02);
    if (most.empty()) continue;
    range.include(most.low);
    range.include(most.high);
  }
  if (range.empty()) range = {0.0, 1.0};
  if (scale == Scale::kLogarithmic && range.low > 0.0)
    return make_axis(range.low / 1.1, range.high * 1.1, scale, 5);
  const double margin = 0.04 * (range.high - range.low);
  // A curve that starts at zero stands on the axis, not above it.
  const double low = range.low == 0.0 ? 0.0 : range.low - margin;
  return make_axis(low, range.high + margin, Scale::kLinear, 6);
}

/// "step", with a note where the lines are averages.
std::string x_axis_name(const LineChart& chart, const std::vector<Curve>& curves) {
  std::size_t window = 1;
  for (const Curve& curve : curves) window = std::max(window, curve.window);
  if (window == 1) return chart.x_name;
  return fmt::format("{} (lines: average of {} measurements)", chart.x_name, format_count(window));
}

/// Everything the drawing functions share.
struct Plot {
  Axis x;
  Axis y;

  double pixel_x(double value) const { return kLeft + kPlotWidth * x.position(value); }
  /// Values beyond the axis are clamped to its edge.
  double pixel_y(double value) const {
    return kTop + kPlotHeight * (1.0 - std::clamp(y.position(value), 0.0, 1.0));
  }
};

std::string draw_axes(const Plot& plot, const std::string& x_name) {
  std::string svg = "<g class=\"grid\">";
  for (const double tick : plot.y.ticks)
    svg += fmt::format(R"(<line x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft, kWidth - kRight,
                       plot.pixel_y(tick), plot.pixel_y(tick));
  svg += fmt::format(R"(<line class="base" x1="{}" x2="{}" y1="{}" y2="{}"/></g><g class="ticks">)",
                     kLeft, kWidth - kRight, kHeight - kBottom, kHeight - kBottom);
  for (const double tick : plot.y.ticks)
    svg += fmt::format(R"(<text class="y" x="{}" y="{:.1f}">{}</text>)", kLeft - 8,
                       plot.pixel_y(tick) + 4, plot.y.label(tick));
  for (std::size_t i = 0; i < plot.x.ticks.size(); ++i)
    svg += fmt::format(R"(<text class="x{}" x="{:.1f}" y="{}">{}</text>)", i % 2 ? " odd" : "",
                       plot.pixel_x(plot.x.ticks[i]), kHeight - kBottom + 18,
                       plot.x.label(plot.x.ticks[i]));
  return svg + fmt::format(R"(<text class="x name" x="{}" y="{}">{}</text></g>)",
                           kLeft + kPlotWidth / 2, kHeight - 6, escape_html(x_name));
}

/// "M1,2L3,4…", a new "M" after every gap.
std::string path_data(const Plot& plot, const Series& series) {
  std::string data;
  bool pen_down = false;
  for (const SeriesPoint& point : series) {
    if (!std::isfinite(point.y)) {
      pen_down = false;
      continue;
    }
    data += fmt::format("{}{:.1f},{:.1f}", pen_down ? 'L' : 'M', plot.pixel_x(point.x),
                        plot.pixel_y(point.y));
    pen_down = true;
  }
  return data;
}

/// What the script reads out: the values of the path's points, in their order.
std::string read_out_attributes(const Series& series) {
  std::string xs, ys;
  for (const SeriesPoint& point : series) {
    if (!std::isfinite(point.y)) continue;
    xs += fmt::format("{}{:.10g}", xs.empty() ? "" : " ", point.x);
    ys += fmt::format("{}{:.4g}", ys.empty() ? "" : " ", point.y);
  }
  return fmt::format(R"(data-x="{}" data-y="{}")", xs, ys);
}

std::string draw_dots(const Plot& plot, const Series& series) {
  std::string svg;
  for (const SeriesPoint& point : series)
    if (std::isfinite(point.y))
      svg += fmt::format(R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"/>)",
                         plot.pixel_x(point.x), plot.pixel_y(point.y));
  return svg;
}

std::string draw_curve(const Plot& plot, const Curve& curve) {
  constexpr std::size_t kMaxDots = 60;
  std::string svg = fmt::format(R"(<g class="line line-{}">)", curve.colour);
  if (!curve.measured.empty())
    svg += fmt::format(R"(<path class="measured" d="{}"/>)", path_data(plot, curve.measured));
  svg += fmt::format(R"(<path class="main{}" d="{}" {}/>)", curve.line->sparse ? " sparse" : "",
                     path_data(plot, curve.main), read_out_attributes(curve.main));
  // A single measurement has no line, only a dot.
  const bool dots = curve.line->sparse || curve.main.size() < 3;
  if (dots && curve.main.size() <= kMaxDots) svg += draw_dots(plot, curve.main);
  return svg + "</g>";
}

std::string draw_markers(const Plot& plot, const std::vector<ChartMarker>& markers) {
  std::string svg = "<g class=\"markers\">";
  std::size_t drawn = 0;
  for (const ChartMarker& marker : markers) {
    const bool inside = marker.x >= plot.x.low && marker.x <= plot.x.high;
    if (!inside || ++drawn > kMaxMarkers) continue;
    const double x = plot.pixel_x(marker.x);
    svg += fmt::format(R"(<g class="{}"><title>{}</title>)", marker.bad ? "bad" : "remark",
                       escape_html(marker.label));
    svg += fmt::format(R"(<path d="M{0:.1f},{1}V{2}"/>)", x, kTop, kHeight - kBottom);
    svg += fmt::format(R"(<polygon points="{:.1f},{} {:.1f},{} {:.1f},{}"/></g>)", x - 5, kTop - 9,
                       x + 5, kTop - 9, x, kTop);
  }
  return svg + "</g>";
}

/// Alternative text.
std::string spoken_summary(const LineChart& chart) {
  std::string text = chart.title + ".";
  for (const ChartLine& line : chart.lines)
    if (!line.points.empty())
      text +=
          fmt::format(" {}: from {} at {} {} to {} at {} {}.", line.name,
                      format_number(initial_value(line.points)), chart.x_name,
                      format_number(line.points.front().x), format_number(final_value(line.points)),
                      chart.x_name, format_number(line.points.back().x));
  return text;
}

std::string draw(const LineChart& chart, const std::vector<Curve>& curves) {
  const Plot plot{make_x_axis(curves), make_y_axis(curves, chart.y_scale)};
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" tabindex="0" data-top="{}" data-bottom="{}" aria-label="{}">)",
      kWidth, kHeight, kTop, kHeight - kBottom, escape_html(spoken_summary(chart)));
  svg += draw_axes(plot, x_axis_name(chart, curves));
  svg += draw_markers(plot, chart.markers);
  for (const auto& curve : curves) svg += draw_curve(plot, curve);
  return svg + "</svg>";
}

std::string last_value(const Curve& curve) {
  if (curve.line->noisy) return format_number(final_value(curve.line->points));
  for (const auto& point : std::views::reverse(curve.main))
    if (std::isfinite(point.y)) return format_number(point.y);
  return "no value";
}

std::string legend(const LineChart& chart, const std::vector<Curve>& curves) {
  std::string html = "<ul class=\"legend\">";
  for (const auto& curve : curves) {
    const std::string last = chart.last_values ? last_value(curve) : "";
    html += fmt::format(
        R"(<li class="line-{}"><i class="{}"></i><span>{}</span> <b data-last="{}">{}</b></li>)",
        curve.colour, curve.line->sparse ? "sparse" : "", escape_html(curve.line->name), last,
        last);
  }
  std::set<std::string> kinds;
  for (const ChartMarker& marker : chart.markers)
    if (kinds.insert(marker.kind).second)
      html += fmt::format(R"(<li class="{}">▼ <span>{}</span></li>)", marker.bad ? "bad" : "remark",
                          escape_html(marker.kind));
  return html + "</ul>";
}

}  // namespace

bool spans_decades(const Series& series) {
  const ValueRange range = middle_range(series, 0.05);
  return !range.empty() && range.low > 0.0 && range.high >= 100.0 * range.low;
}

std::string chart_svg(const LineChart& chart) { return draw(chart, make_curves(chart)); }

Html chart_figure(const LineChart& chart) {
  const std::vector<Curve> curves = make_curves(chart);
  std::string html = fmt::format(
      R"(<figure class="chart" data-x-name="{}"><figcaption><h3>{}</h3><p>{}</p>{}</figcaption>)",
      escape_html(chart.x_name), escape_html(chart.title), escape_html(chart.explanation),
      legend(chart, curves));
  return {html + draw(chart, curves) + "<p class=\"at\" aria-live=\"polite\"></p></figure>\n"};
}

}  // namespace pointpng
