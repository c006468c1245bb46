#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/page.h"

namespace pointpng {

/// One figure that a study measures: a column of its table.
struct StudyColumn {
  std::string key;    ///< its name in JSON and CSV
  std::string label;  ///< its name for people
  int digits = 3;     ///< behind the point
  std::string meaning;
};

/// One variant measured with one seed.
struct StudyRow {
  std::string variant;
  std::uint64_t seed = 0;
  std::map<std::string, double> figures;
};

/// The same thing measured in several variants, each with several seeds.
struct Study {
  std::string title;
  std::string summary;                   ///< one sentence: what varies and what is measured
  std::string command;                   ///< that gives these numbers again
  std::string varied;                    ///< what the variants are: "method", "beta"
  std::vector<std::string> variants;     ///< in the order of the table
  std::map<std::string, double> places;  ///< of variants on an axis, where they are numbers
  std::vector<StudyColumn> columns;
  std::vector<StudyRow> rows;
  std::vector<Fact> facts;           ///< data, budget, sizes
  std::vector<std::string> remarks;  ///< what a reader should know of the result
};

/// Of one figure over the seeds of a variant.
struct Spread {
  double mean = 0.0;
  double deviation = 0.0;  ///< standard deviation of a sample; 0 of a single one
  std::int64_t count = 0;
};

/// Nothing where the variant has no such figure.
std::optional<Spread> spread_of(const Study& study, const std::string& variant,
                                const std::string& key);

/// A table of means for people, with remarks.
std::string study_text(const Study& study);

/// {"title", "command", "varied", "means": [{"variant", FIGURE: {"mean", "deviation", "count"}}],
///  "rows": [{"variant", "seed", FIGURE: …}], "remarks"}; the same study gives the same text.
nlohmann::json study_json(const Study& study);

/// A line for every row: variant, seed and the figures.
std::string study_csv(const Study& study);

/// One self-contained page with table and plots: curves where the variants are numbers, bars
/// elsewhere.
std::string study_page(const Study& study);

}  // namespace pointpng
