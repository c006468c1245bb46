#pragma once

#include <string>
#include <vector>

#include "pointpng/training.h"
#include "report/chart.h"
#include "report/page.h"

namespace pointpng {

/// The curves of a run, grouped.
struct RunCharts {
  std::vector<LineChart> learning;   ///< losses, PA and AE, pose
  std::vector<LineChart> mechanics;  ///< learning rate, gradient, throughput
  std::vector<LineChart> others;     ///< everything else that was logged
  std::vector<Fact> meanings;        ///< one line per measure
  std::size_t left_out = 0;          ///< curves beyond the limit of a page
};

RunCharts make_run_charts(const RunLog& log);

}  // namespace pointpng
