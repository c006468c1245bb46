#include "report/classification_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json some_result() {
  const nlohmann::json figures = {
      {"accuracy", 0.75},
      {"mean_class_accuracy", 0.8},
      {"per_class", {{"cup", 0.6}, {"<b>", 1.0}}},
      {"shapes", 7},
      {"confusion", {{"classes", {"cup", "<b>"}}, {"counts", {{3, 2}, {0, 2}}}}},
      {"training", {{"steps", 12}, {"seconds", 65.0}, {"cpu_seconds", 120.0}}}};
  nlohmann::json result = figures;
  result["baseline"] = figures;
  result["baseline"]["accuracy"] = 0.5;
  result["protocol"] = "z/so3";
  result["head"] = "mlp";
  result["command"] = "pointpng eval classify --train a.h5";
  return result;
}

TEST(ClassificationPage, ShowsTheFiguresBesideTheBaseline) {
  const std::string html = classification_page(some_result());
  for (const char* words : {"75.0", "+25.0 points", "an MLP on the frozen encoder", "z/so3",
                            "pointpng eval classify --train a.h5", "1 min 5 s"})
    EXPECT_THAT(html, HasSubstr(words));
}

TEST(ClassificationPage, NamesOfClassesAreEscaped) {
  const std::string html = classification_page(some_result());
  EXPECT_THAT(html, Not(HasSubstr("<b>cup")));
  EXPECT_THAT(html, HasSubstr("<th>&lt;b&gt;</th>"));
  const auto from = html.find("<table class=\"confusion\">"), to = html.find("</table>", from);
  EXPECT_EQ(xml_fault(html.substr(from, to + 8 - from)), "");
}

TEST(ClassificationPage, WorksWithoutABaseline) {
  nlohmann::json result = some_result();
  result.erase("baseline");
  const std::string html = classification_page(result);
  EXPECT_THAT(html, Not(HasSubstr("PointNet")));
}

}  // namespace
}  // namespace pointpng
