#pragma once

#include <string>
#include <vector>

#include "report/axis.h"
#include "report/html.h"
#include "report/series.h"

namespace pointpng {

/// One curve of a chart.
struct ChartLine {
  std::string name;
  Series points;
  bool noisy = false;   ///< draw a moving average, the measured curve faint behind it
  bool sparse = false;  ///< few measurements: dashed, with a dot at each
  int colour = -1;      ///< index of its colour; -1: the next one
};

/// An event on the x axis.
struct ChartMarker {
  double x = 0.0;
  std::string kind;   ///< one word for the legend
  std::string label;  ///< tooltip
  bool bad = false;   ///< drawn as an alarm
};

/// Curves over a common x axis.
struct LineChart {
  std::string title;        ///< in plain words, with the unit
  std::string explanation;  ///< one sentence below the title: what it is, what is good
  std::string x_name = "step";
  Scale y_scale = Scale::kLinear;
  std::vector<ChartLine> lines;
  std::vector<ChartMarker> markers;
  bool last_values = true;  ///< shown in the legend
};

/// Whether a logarithmic axis suits: the middle 90 % of the values are positive and span a factor
/// of 100.
bool spans_decades(const Series& series);

/// The drawing: one `<svg>`, well-formed XML, at most 600 points per line.
std::string chart_svg(const LineChart& chart);

/// Title, legend with the last values (the page's script shows those under the pointer), drawing.
Html chart_figure(const LineChart& chart);

}  // namespace pointpng
