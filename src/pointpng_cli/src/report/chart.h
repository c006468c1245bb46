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
  bool noisy = false;   ///< draw an average, with the measured curve faint behind it
  bool sparse = false;  ///< few measurements: dashed, with a dot at each
  int colour = -1;      ///< lines of the same number share a colour; -1: one after the other
};

/// Something that happened at one place of the x axis.
struct ChartMarker {
  double x = 0.0;
  std::string kind;   ///< one word for the legend
  std::string label;  ///< what the pointer shows
  bool bad = false;   ///< drawn as an alarm, not as a remark
};

/// Curves over a common x axis.
struct LineChart {
  std::string title;        ///< in plain words, with the unit
  std::string explanation;  ///< one sentence below the title: what it is, what is good
  std::string x_name = "step";
  Scale y_scale = Scale::kLinear;
  std::vector<ChartLine> lines;
  std::vector<ChartMarker> markers;
  bool last_values = true;  ///< the legend names them
};

/// Whether a logarithmic axis would show more: the middle nine tenths of the values are
/// positive and spread over a factor of 100.
bool spans_decades(const Series& series);

/// The drawing alone: one `<svg>`, well-formed XML. A line has at most 600 points in it.
std::string chart_svg(const LineChart& chart);

/// Title, legend with the last values (the page's script shows those under the pointer), drawing.
Html chart_figure(const LineChart& chart);

}  // namespace pointpng
