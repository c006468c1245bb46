#include "report/study.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/bar_chart.h"
#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "<script>alert(1)</script>\"'&,";

Study small_study() {
  Study study;
  study.title = "Methods";
  study.varied = "method";
  study.command = "pointpng eval compare --out x";
  study.variants = {"a", "b"};
  study.columns = {{"pa", "PA", 2, "How accurate."}, {"ae", "AE", 1, "How sensitive."}};
  study.rows = {{"a", 0, {{"pa", 0.5}, {"ae", 1.0}}},
                {"b", 0, {{"pa", 0.25}}},
                {"a", 1, {{"pa", 0.7}, {"ae", 2.0}}}};
  study.remarks = {"The order holds."};
  return study;
}

TEST(StudyTest, MeansAndDeviationsAreOverSeeds) {
  const Study study = small_study();
  const auto spread = spread_of(study, "a", "pa");
  ASSERT_TRUE(spread);
  EXPECT_NEAR(spread->mean, 0.6, 1e-12);
  EXPECT_NEAR(spread->deviation, std::sqrt(0.02), 1e-12);
  EXPECT_EQ(spread->count, 2);
  EXPECT_EQ(spread_of(study, "b", "pa")->deviation, 0.0);
  EXPECT_FALSE(spread_of(study, "b", "ae"));
  EXPECT_FALSE(spread_of(study, "c", "pa"));
}

TEST(StudyTest, TheTextHasALineAVariantWithAlignedColumns) {
  EXPECT_EQ(study_text(small_study()),
            "Methods\n"
            "  method            PA          AE\n"
            "  a        0.60 ± 0.14   1.5 ± 0.7\n"
            "  b               0.25           –\n"
            "The order holds.\n");
}

TEST(StudyTest, JsonHasMeansAndEveryRow) {
  const nlohmann::json json = study_json(small_study());
  EXPECT_EQ(json["means"][0]["variant"], "a");
  EXPECT_EQ(json["means"][0]["pa"]["count"], 2);
  EXPECT_FALSE(json["means"][1].contains("ae"));
  EXPECT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(json["rows"][2]["seed"], 1);
  EXPECT_EQ(json["rows"][2]["ae"], 2.0);
}

TEST(StudyTest, CsvHasALineARowAndEmptyFieldsForWhatIsMissing) {
  Study study = small_study();
  study.rows[0].variant = "a, \"b\"";
  EXPECT_EQ(study_csv(study),
            "method,seed,pa,ae\n\"a, \"\"b\"\"\",0,0.5,1\nb,0,0.25,\na,1,0.7,2\n");
}

TEST(StudyTest, ThePageIsSafeAndShowsBarsForNamesAndCurvesForNumbers) {
  Study study = small_study();
  study.title = study.remarks[0] = kEvil;
  const std::string bars = study_page(study);
  EXPECT_THAT(bars, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(bars, HasSubstr("<rect"));
  EXPECT_THAT(bars, HasSubstr(study.command));
  study.places = {{"a", 1.0}, {"b", 2.0}};
  EXPECT_THAT(study_page(study), HasSubstr("class=\"main sparse\""));
}

TEST(BarChartTest, IsWellFormedWhateverItsNamesAndValues) {
  const BarChart chart{
      kEvil, kEvil, 2, {{kEvil, 0.5, 0.1}, {"none", NAN, 0.0}, {"below", -1.0, 0.2}}};
  EXPECT_EQ(xml_fault(bar_chart_svg(chart)), "");
  EXPECT_EQ(xml_fault(bar_chart_figure(chart).markup), "");
  EXPECT_THAT(bar_chart_svg(chart), HasSubstr("0.50 ± 0.10"));
  EXPECT_THAT(bar_chart_svg(chart), HasSubstr("not measured"));
  EXPECT_EQ(xml_fault(bar_chart_svg({})), "");
}

TEST(BarChartTest, ALongerBarIsALargerValue) {
  const std::string svg = bar_chart_svg({"t", "", 1, {{"one", 1.0, 0.0}, {"two", 2.0, 0.0}}});
  const auto width = [&](std::size_t from) {
    const auto at = svg.find("width=\"", svg.find("<rect", from));
    return std::pair(std::stod(svg.substr(at + 7)), at);
  };
  const auto [one, place] = width(0);
  EXPECT_NEAR(width(place).first, 2.0 * one, 0.2);
}

}  // namespace
}  // namespace pointpng
