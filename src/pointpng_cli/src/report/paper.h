#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace pointpng {

/// A row of a table as it was published.
struct PublishedRow {
  std::string group;  ///< "Supervised"; empty where the table has no groups
  std::string method;
  std::vector<std::string> values;  ///< one per column; "–" where the paper has none
  bool proposed = false;            ///< the paper's own method
};

/// A table of the paper, transcribed.
struct PaperTable {
  std::string id;                      ///< for `OurRow::table`
  std::string label;                   ///< its name in the paper's source
  std::string title;                   ///< in our words
  std::string setting;                 ///< what the paper measured on
  std::string method_name = "Method";  ///< heading of the first column
  std::vector<std::string> columns;
  std::vector<PublishedRow> rows;
};

/// All tables with results, in the paper's order.
const std::vector<PaperTable>& paper_tables();

/// What was measured here for one of them, or why it was not.
struct OurRow {
  std::string table;  ///< id of the paper's
  std::string method;
  std::vector<std::string> values;  ///< one a column of the table; "–" where it has none
  std::string data, budget, seed;
  std::string command;     ///< that gives these figures
  std::string remark;      ///< what is other than in the paper
  std::string not_run;     ///< the reason, where it was not run; no values then
  nlohmann::json figures;  ///< the same as numbers, as the command prints them
};

/// The paper's rows and ours.
struct PaperComparison {
  std::vector<OurRow> rows;
  std::string model, budget, command;
  double seconds = 0.0;               ///< that it took
  std::vector<std::string> verdicts;  ///< sentences to read first
};

/// One page with every table of the paper, ours beside it. Throws `Error` for a row that belongs to
/// no table or has not a value a column.
std::string paper_page(const PaperComparison& comparison);

/// The same for scripts.
nlohmann::json paper_json(const PaperComparison& comparison);

}  // namespace pointpng
