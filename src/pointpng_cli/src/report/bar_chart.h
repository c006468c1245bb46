#pragma once

#include <string>
#include <vector>

#include "report/html.h"

namespace pointpng {

/// One bar: a mean, and the standard deviation of the measurements.
struct Bar {
  std::string name;
  double value = 0.0;  ///< not finite: nothing was measured, and the chart says so
  double spread = 0.0;
};

/// Bars that lie one below the other, to compare things that have names.
struct BarChart {
  std::string title;
  std::string explanation;  ///< one sentence below the title: what it is, what is good
  int digits = 3;           ///< decimals of the values beside the bars
  std::vector<Bar> bars;
};

/// The drawing alone: one `<svg>`, well-formed XML.
std::string bar_chart_svg(const BarChart& chart);

/// Title, explanation, drawing.
Html bar_chart_figure(const BarChart& chart);

}  // namespace pointpng
