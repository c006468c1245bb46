#include "report/paper.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "report/command_line.h"
#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

OurRow measured(const std::string& table, std::vector<std::string> values) {
  OurRow row{table,      "ours <b>", std::move(values), "test.h5",
             "20 pairs", "3",        "pointpng eval x", "",
             "",         {}};
  row.figures = {{"pa", 0.97}};
  return row;
}

OurRow left_out(const std::string& table) {
  OurRow row;
  row.table = table;
  row.method = "ours";
  row.not_run = "no training data was given";
  return row;
}

TEST(PaperTablesTest, EveryRowHasAValueAColumnAndIdsAreUnique) {
  std::set<std::string> ids;
  for (const PaperTable& table : paper_tables()) {
    EXPECT_TRUE(ids.insert(table.id).second) << table.id;
    int proposed = 0;
    for (const PublishedRow& row : table.rows) {
      EXPECT_EQ(row.values.size(), table.columns.size()) << table.id << ": " << row.method;
      proposed += row.proposed ? 1 : 0;
    }
    EXPECT_EQ(proposed, 1) << table.id;
  }
}

TEST(PaperPageTest, HasThePapersRowsOursAndWhatWasNotRun) {
  PaperComparison comparison;
  comparison.rows = {measured("retrieval", {"0.91", "0.86", "0.99"}), left_out("beta")};
  comparison.model = "object.safetensors";
  const std::string page = paper_page(comparison);
  EXPECT_EQ(
      xml_fault(page.substr(page.find("<main>"), page.find("</main>") + 7 - page.find("<main>"))),
      "");
  for (const char* text :
       {"KPConv", "0.8 / 2.2 / 0.8", "0.91", "test.h5", "20 pairs", "pointpng eval x",
        "not run: no training data was given", "ours &lt;b&gt;"})
    EXPECT_THAT(page, HasSubstr(text));
  // Every table is there; those without a row of ours say so.
  EXPECT_EQ(count_of(page, "class=\"paper\""), static_cast<int>(paper_tables().size()));
  EXPECT_EQ(count_of(page, ">not run</td>"), static_cast<int>(paper_tables().size()) - 2);
}

TEST(PaperPageTest, JsonCountsAndKeepsFigures) {
  PaperComparison comparison;
  comparison.rows = {measured("retrieval", {"0.91", "0.86", "0.99"}), left_out("beta")};
  const nlohmann::json json = paper_json(comparison);
  EXPECT_EQ(json["measured"], 1);
  EXPECT_EQ(json["not_run"], 1);
  EXPECT_EQ(json["tables"].size(), paper_tables().size());
  EXPECT_EQ(json["tables"].back()["ours"][0]["figures"]["pa"], 0.97);
  EXPECT_EQ(json["tables"].back()["paper"][2]["values"][0], "0.41");
}

TEST(PaperPageTest, ARowThatFitsNoTableIsRefused) {
  PaperComparison comparison;
  comparison.rows = {measured("retrieval", {"0.91"})};
  EXPECT_THROW(paper_page(comparison), Error);
  comparison.rows = {measured("other", {"0.91"})};
  EXPECT_THROW(paper_json(comparison), Error);
}

TEST(CommandLineTest, QuotesWhatAShellWouldSplit) {
  CommandLine line("eval pose");
  line.option("data", "my shapes.h5").option("pairs", 20).flag("no-parts").flag("json", false);
  EXPECT_EQ(line.text(), "pointpng eval pose --data 'my shapes.h5' --pairs 20 --no-parts");
}

}  // namespace
}  // namespace pointpng
