#include "report/chart.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Series wave(int count) {
  Series series;
  for (int i = 0; i < count; ++i) series.push_back({1.0 * i, std::sin(0.1 * i)});
  return series;
}

LineChart chart_of(std::vector<ChartLine> lines) {
  LineChart chart;
  chart.title = "A <b>title</b>";
  chart.lines = std::move(lines);
  return chart;
}

ChartLine line_of(Series points, bool noisy = false, bool sparse = false) {
  ChartLine line;
  line.name = "\"a\" & <b>";
  line.points = std::move(points);
  line.noisy = noisy;
  line.sparse = sparse;
  return line;
}

/// The data of the path of a class.
std::string path_of(const std::string& svg, const std::string& name) {
  const std::string start = "<path class=\"" + name + "\" d=\"";
  const std::size_t at = svg.find(start);
  if (at == std::string::npos) return "";
  const std::size_t first = at + start.size();
  return svg.substr(first, svg.find('"', first) - first);
}

TEST(Chart, EveryPointOfAShortLineIsDrawnOnce) {
  const std::string svg = chart_svg(chart_of({line_of(wave(30)), line_of(wave(20))}));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of(svg, "<path class=\"main\""), 2);
  const std::string first = path_of(svg, "main");
  EXPECT_EQ(count_of(first, "M"), 1);
  EXPECT_EQ(count_of(first, "L"), 29);
}

TEST(Chart, ANoisyLineHasItsMeasurementsBehindIt) {
  const std::string svg = chart_svg(chart_of({line_of(wave(100), true)}));
  EXPECT_EQ(count_of(path_of(svg, "measured"), "L"), 99);
  EXPECT_EQ(count_of(path_of(svg, "main"), "L"), 99);
  EXPECT_THAT(svg, HasSubstr("average of 5 measurements"));
}

TEST(Chart, ASparseLineHasADotForEachMeasurement) {
  const std::string svg = chart_svg(chart_of({line_of(wave(7), false, true)}));
  EXPECT_EQ(count_of(svg, "<circle"), 7);
}

TEST(Chart, AValueThatIsNoNumberIsAGap) {
  Series series = wave(30);
  series[10].y = std::nan("");
  series[20].y = INFINITY;
  const std::string svg = chart_svg(chart_of({line_of(series)}));
  EXPECT_EQ(xml_fault(svg), "");
  const std::string path = path_of(svg, "main");
  EXPECT_EQ(count_of(path, "M"), 3);
  EXPECT_EQ(count_of(path, "L"), 25);
  EXPECT_THAT(path, Not(HasSubstr("n")));  // neither nan nor inf
}

TEST(Chart, OddCurvesAreDrawnWithoutFault) {
  const double nan = std::nan("");
  for (const Series& series : {Series{}, Series{{3, 1}}, Series{{0, 2}, {1, 2}}, Series{{0, nan}},
                               Series{{0, -1e300}, {1, 1e300}}, Series{{0, 0}, {1, 1e-300}},
                               Series{{1e15, 1}, {2e15, 3}}}) {
    for (const Scale scale : {Scale::kLinear, Scale::kLogarithmic}) {
      LineChart chart = chart_of({line_of(series)});
      chart.y_scale = scale;
      const std::string svg = chart_svg(chart);
      EXPECT_EQ(xml_fault(svg), "");
      EXPECT_EQ(path_of(svg, "main").find_first_of("ni"), std::string::npos) << svg;
    }
  }
}

TEST(Chart, ASpikeDoesNotFlattenTheRest) {
  Series series = wave(1000);
  series[500].y = 1e6;
  LineChart chart = chart_of({line_of(series, true)});
  const std::string svg = chart_svg(chart);
  EXPECT_THAT(svg, HasSubstr("<path class=\"measured\""));
  // The spike leaves the drawing at its upper edge instead of setting the axis.
  EXPECT_THAT(path_of(svg, "measured"), HasSubstr(",16.0"));
}

TEST(Chart, NamesStayText) {
  LineChart chart = chart_of({line_of(wave(5))});
  chart.markers = {{2.0, "<i>", "<script>", true}};
  const std::string html = chart_figure(chart).markup;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_THAT(html, HasSubstr("&quot;a&quot; &amp; &lt;b&gt;"));
}

TEST(Chart, MarkersOutsideTheAxisAreLeftOut) {
  LineChart chart = chart_of({line_of(wave(10))});
  chart.markers = {{5.0, "resume", "resumed", false}, {50.0, "nan", "beyond", true}};
  const std::string svg = chart_svg(chart);
  EXPECT_EQ(count_of(svg, "<polygon"), 1);
  EXPECT_THAT(svg, HasSubstr("<title>resumed</title>"));
}

TEST(Chart, LinesOfOneColourShareIt) {
  LineChart chart = chart_of({line_of(wave(5)), line_of(wave(5))});
  chart.lines[0].colour = chart.lines[1].colour = 2;
  EXPECT_EQ(count_of(chart_svg(chart), "class=\"line line-3\""), 2);
}

TEST(SpansDecades, NeedsPositiveValuesFarApart) {
  EXPECT_TRUE(spans_decades({{0, 1e-3}, {1, 1.0}}));
  EXPECT_FALSE(spans_decades({{0, 0.5}, {1, 1.0}}));
  EXPECT_FALSE(spans_decades({{0, 0.0}, {1, 1.0}}));
  EXPECT_FALSE(spans_decades({}));
}

}  // namespace
}  // namespace pointpng
