#include <cmath>

#include <fmt/format.h>

#include "pointpng/study.h"

namespace pointpng {
namespace {

/// A name as a field of CSV.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) field += character == '"' ? "\"\"" : std::string(1, character);
  return field + "\"";
}

}  // namespace

std::optional<Spread> spread_of(const Study& study, const std::string& variant,
                                const std::string& key) {
  std::vector<double> values;
  for (const StudyRow& row : study.rows)
    if (const auto found = row.figures.find(key);
        row.variant == variant && found != row.figures.end())
      values.push_back(found->second);
  if (values.empty()) return std::nullopt;
  Spread spread;
  spread.count = static_cast<std::int64_t>(values.size());
  for (const double value : values) spread.mean += value / static_cast<double>(spread.count);
  double squares = 0.0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (spread.count > 1)
    spread.deviation = std::sqrt(squares / static_cast<double>(spread.count - 1));
  return spread;
}

nlohmann::json study_json(const Study& study) {
  using nlohmann::json;
  json means = json::array(), rows = json::array();
  for (const std::string& variant : study.variants) {
    json mean = {{"variant", variant}};
    if (const auto place = study.places.find(variant); place != study.places.end())
      mean[study.varied] = place->second;
    for (const StudyColumn& column : study.columns)
      if (const auto spread = spread_of(study, variant, column.key))
        mean[column.key] = {
            {"mean", spread->mean}, {"deviation", spread->deviation}, {"count", spread->count}};
    means.push_back(std::move(mean));
  }
  for (const StudyRow& row : study.rows) {
    json line = {{"variant", row.variant}, {"seed", row.seed}};
    for (const auto& [key, value] : row.figures) line[key] = value;
    rows.push_back(std::move(line));
  }
  json facts = json::object();
  for (const auto& [name, value] : study.facts) facts[name] = value;
  json result = {{"title", study.title},    {"command", study.command}, {"varied", study.varied},
                 {"setting", facts},        {"means", means},           {"rows", rows},
                 {"remarks", study.remarks}};
  result.update(study.findings);
  return result;
}

std::string study_csv(const Study& study) {
  std::string text = quoted(study.varied) + ",seed";
  for (const StudyColumn& column : study.columns) text += "," + quoted(column.key);
  text += '\n';
  for (const StudyRow& row : study.rows) {
    text += fmt::format("{},{}", quoted(row.variant), row.seed);
    for (const StudyColumn& column : study.columns) {
      const auto found = row.figures.find(column.key);
      text += found == row.figures.end() ? "," : fmt::format(",{}", found->second);
    }
    text += '\n';
  }
  return text;
}

}  // namespace pointpng
