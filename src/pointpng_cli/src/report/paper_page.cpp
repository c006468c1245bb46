#include <algorithm>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "report/format.h"
#include "report/page.h"
#include "report/paper.h"

namespace pointpng {
namespace {

using nlohmann::json;

void require_consistent(const PaperComparison& comparison) {
  for (const OurRow& row : comparison.rows) {
    const auto table = std::ranges::find(paper_tables(), row.table, &PaperTable::id);
    if (table == paper_tables().end())
      throw Error(fmt::format("'{}' is no table of the paper", row.table));
    if (row.not_run.empty() && row.values.size() != table->columns.size())
      throw Error(fmt::format("'{}' has {} values for the {} columns of '{}'", row.method,
                              row.values.size(), table->columns.size(), row.table));
  }
}

std::vector<OurRow> rows_of(const PaperComparison& comparison, const PaperTable& table) {
  std::vector<OurRow> rows;
  std::ranges::copy_if(comparison.rows, std::back_inserter(rows),
                       [&](const OurRow& row) { return row.table == table.id; });
  return rows;
}

std::string cell(const std::string& text, const char* kind = "number") {
  return fmt::format("<td class=\"{}\">{}</td>", kind, escape_html(text));
}

std::string group_line(const std::string& name, std::size_t columns) {
  return fmt::format(R"(<tr class="group"><th colspan="{}">{}</th></tr>)", columns + 1,
                     escape_html(name));
}

std::string published_lines(const PaperTable& table) {
  std::string html, group;
  for (const PublishedRow& row : table.rows) {
    if (row.group != group) html += group_line(row.group, table.columns.size());
    group = row.group;
    html += fmt::format("<tr{}><td>{}</td>", row.proposed ? " class=\"proposed\"" : "",
                        escape_html(row.method));
    for (const std::string& value : row.values) html += cell(value);
    html += "</tr>";
  }
  return html;
}

std::string our_lines(const PaperTable& table, const std::vector<OurRow>& rows) {
  std::string html = group_line("Ours, measured here", table.columns.size());
  for (const OurRow& row : rows) {
    const bool run = row.not_run.empty();
    html += fmt::format("<tr class=\"{}\"><td>{}</td>", run ? "ours" : "not-run",
                        escape_html(row.method));
    if (run)
      for (const std::string& value : row.values) html += cell(value);
    else
      html += fmt::format("<td colspan=\"{}\">not run: {}</td>", table.columns.size(),
                          escape_html(row.not_run));
    html += "</tr>";
  }
  if (rows.empty())
    html += fmt::format(R"(<tr class="not-run"><td></td><td colspan="{}">not run</td></tr>)",
                        table.columns.size());
  return html;
}

Html table_html(const PaperTable& table, const std::vector<OurRow>& rows) {
  Html html{R"(<div class="scroll"><table class="paper"><thead><tr>)"};
  html.markup += fmt::format("<th>{}</th>", escape_html(table.method_name));
  for (const std::string& column : table.columns)
    html.markup += fmt::format("<th class=\"number\">{}</th>", escape_html(column));
  html.markup += "</tr></thead><tbody>" + published_lines(table) + our_lines(table, rows) +
                 "</tbody></table></div>\n";
  return html;
}

/// What each of our rows was measured on and how to reproduce it.
Html details_html(const std::vector<OurRow>& rows) {
  Html html;
  for (const OurRow& row : rows) {
    if (!row.not_run.empty()) continue;
    html.markup += fmt::format("<div class=\"measured-how\"><b>{}</b>", escape_html(row.method));
    html.markup +=
        fmt::format("<span>data {}</span><span>budget {}</span><span>seed {}</span>",
                    escape_html(row.data), escape_html(row.budget), escape_html(row.seed));
    if (!row.remark.empty()) html.markup += fmt::format("<p>{}</p>", escape_html(row.remark));
    html.markup += fmt::format("<pre><code>{}</code></pre></div>", escape_html(row.command));
  }
  return html;
}

json row_json(const OurRow& row) {
  if (!row.not_run.empty()) return {{"method", row.method}, {"not_run", row.not_run}};
  return {{"method", row.method}, {"values", row.values},  {"data", row.data},
          {"budget", row.budget}, {"seed", row.seed},      {"command", row.command},
          {"remark", row.remark}, {"figures", row.figures}};
}

std::int64_t measured_count(const PaperComparison& comparison) {
  return std::ranges::count_if(comparison.rows,
                               [](const OurRow& row) { return row.not_run.empty(); });
}

}  // namespace

std::string paper_page(const PaperComparison& comparison) {
  require_consistent(comparison);
  Page page(
      "The paper's tables, and ours", "Point-PNG evaluation",
      "Every table of the paper with our measurements below it. Data and budgets differ: read "
      "the notes of each row before comparing.");
  const std::int64_t measured = measured_count(comparison);
  Section& top = page.add_section("");
  top.tiles(
      {{"Rows measured", format_count(measured), "", "each with the command that reproduces it"},
       {"Rows not run", format_count(std::ssize(comparison.rows) - measured), "",
        "each with the reason"},
       {"Time", format_duration(comparison.seconds), "",
        fmt::format("budget {}", comparison.budget)},
       {"Model", comparison.model, "", "unless a row names another"}});
  for (const std::string& verdict : comparison.verdicts) top.callout(Callout::kNote, "", verdict);
  for (const PaperTable& table : paper_tables()) {
    const std::vector<OurRow> rows = rows_of(comparison, table);
    Section& section = page.add_section(table.title);
    section.text(fmt::format("{} In the paper: {}.", table.setting, table.label))
        .raw(table_html(table, rows))
        .raw(details_html(rows));
  }
  page.add_section("Reproduce all of it").code(comparison.command);
  page.set_footer("Written by pointpng eval paper. This file needs no network.");
  return page.html();
}

json paper_json(const PaperComparison& comparison) {
  require_consistent(comparison);
  json result{{"model", comparison.model},
              {"budget", comparison.budget},
              {"seconds", comparison.seconds},
              {"command", comparison.command},
              {"verdicts", comparison.verdicts},
              {"measured", measured_count(comparison)},
              {"not_run", std::ssize(comparison.rows) - measured_count(comparison)},
              {"tables", json::array()}};
  for (const PaperTable& table : paper_tables()) {
    json one{{"id", table.id}, {"label", table.label}, {"columns", table.columns}};
    for (const PublishedRow& row : table.rows)
      one["paper"].push_back({{"method", row.method}, {"values", row.values}});
    one["ours"] = json::array();
    for (const OurRow& row : rows_of(comparison, table)) one["ours"].push_back(row_json(row));
    result["tables"].push_back(std::move(one));
  }
  return result;
}

}  // namespace pointpng
