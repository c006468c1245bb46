#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/study.h"

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

/// One page with every table of the paper, ours beside it. Throws `Error` for a row that belongs to
/// no table or has not a value a column.
std::string paper_page(const PaperComparison& comparison);

/// The same for scripts.
nlohmann::json paper_json(const PaperComparison& comparison);

}  // namespace pointpng
