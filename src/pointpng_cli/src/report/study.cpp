#include "report/study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/bar_chart.h"
#include "report/chart.h"
#include "report/format.h"
#include "report/page.h"

namespace pointpng {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string cell(const Study& study, const std::string& variant, const StudyColumn& column) {
  const auto spread = spread_of(study, variant, column.key);
  if (!spread) return "–";
  return spread->count > 1 ? format_spread(spread->mean, spread->deviation, column.digits)
                           : format_fixed(spread->mean, column.digits);
}

Table mean_table(const Study& study) {
  Table table{{study.varied}, {}};
  for (const StudyColumn& column : study.columns) table.columns.push_back(column.label);
  for (const std::string& variant : study.variants) {
    std::vector<std::string> row{variant};
    for (const StudyColumn& column : study.columns) row.push_back(cell(study, variant, column));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table row_table(const Study& study) {
  Table table{{study.varied, "seed"}, {}};
  for (const StudyColumn& column : study.columns) table.columns.push_back(column.label);
  for (const StudyRow& measured : study.rows) {
    std::vector<std::string> row{measured.variant, fmt::format("{}", measured.seed)};
    for (const StudyColumn& column : study.columns) {
      const auto found = measured.figures.find(column.key);
      row.push_back(found == measured.figures.end() ? "–"
                                                    : format_fixed(found->second, column.digits));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Columns that a UTF-8 text takes on a terminal.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & '\xC0') != '\x80'; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, columns_of(text)), ' ');
  return right ? space + text : text + space;
}

LineChart line_chart(const Study& study, const StudyColumn& column) {
  LineChart chart;
  chart.title = column.label;
  chart.explanation = column.meaning;
  chart.x_name = study.varied;
  chart.last_values = false;  // the last variant is not a result
  ChartLine line{"mean over seeds", {}};
  line.sparse = true;
  for (const std::string& variant : study.variants) {
    const auto spread = spread_of(study, variant, column.key);
    line.points.push_back({study.places.at(variant), spread ? spread->mean : kNothing});
  }
  chart.lines.push_back(std::move(line));
  return chart;
}

BarChart bar_chart(const Study& study, const StudyColumn& column) {
  BarChart chart{column.label, column.meaning, column.digits, {}};
  for (const std::string& variant : study.variants) {
    const auto spread = spread_of(study, variant, column.key);
    chart.bars.push_back(
        {variant, spread ? spread->mean : kNothing, spread ? spread->deviation : 0.0});
  }
  return chart;
}

bool is_measured(const Study& study, const StudyColumn& column) {
  return std::any_of(study.variants.begin(), study.variants.end(), [&](const std::string& variant) {
    return spread_of(study, variant, column.key).has_value();
  });
}

Html plots(const Study& study) {
  const bool numbers = study.places.size() == study.variants.size() && study.variants.size() > 1;
  Html html{"<div class=\"charts\">"};
  for (const StudyColumn& column : study.columns)
    if (is_measured(study, column))
      html += numbers ? chart_figure(line_chart(study, column))
                      : bar_chart_figure(bar_chart(study, column));
  html.markup += "</div>\n";
  return html;
}

}  // namespace

std::string study_text(const Study& study) {
  const Table table = mean_table(study);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    widths.push_back(columns_of(table.columns[i]));
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += (i == 0 ? "  " : "   ") + padded(cells[i], widths[i], i > 0);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = study.title + "\n" + line(table.columns);
  for (const auto& row : table.rows) text += line(row);
  for (const std::string& remark : study.remarks) text += remark + "\n";
  return text;
}

std::string study_page(const Study& study) {
  Page page(study.title, "Point-PNG", study.summary);
  Section& result = page.add_section("Result");
  result.table(mean_table(study));
  for (const std::string& remark : study.remarks) result.callout(Callout::kNote, "", remark);
  page.add_section("Plots").raw(plots(study));
  std::vector<Fact> facts;
  for (const auto& [name, value] : study.facts) facts.push_back({name, value});
  Section& setting = page.add_section("Setting");
  setting.facts(facts).text("This command reproduces the numbers:").code(study.command);
  Section single("");
  single.table(row_table(study));
  page.add_section("Every seed").folded("The figures of every run", single);
  Section& words = page.add_section("What the figures mean");
  for (const StudyColumn& column : study.columns)
    words.text(fmt::format("{}: {}", column.label, column.meaning));
  page.set_footer("Means over seeds, ± standard deviation.");
  return page.html();
}

}  // namespace pointpng
