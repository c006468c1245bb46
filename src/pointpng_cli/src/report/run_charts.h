#pragma once

#include <string>
#include <vector>

#include "pointpng/training.h"
#include "report/chart.h"
#include "report/page.h"

namespace pointpng {

/// The curves of a run, by what a reader asks for.
struct RunCharts {
  std::vector<LineChart> learning;   ///< does it learn? losses, PA and AE, pose
  std::vector<LineChart> mechanics;  ///< how does it run? learning rate, gradient, throughput
  std::vector<LineChart> others;     ///< whatever else was logged
  std::vector<Fact> meanings;        ///< one line for each measure that is shown
  std::size_t left_out = 0;          ///< curves beyond what a page can hold
};

RunCharts make_run_charts(const RunLog& log);

}  // namespace pointpng
