#include "report/page.h"

#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "report/assets.h"

namespace pointpng {
namespace {

bool looks_numeric(const std::string& cell) {
  if (cell.empty() || cell == "–") return true;
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  if (end == cell.c_str()) return false;
  constexpr std::string_view kSpread = " ± ";
  if (std::string_view(end).starts_with(kSpread)) return looks_numeric(end + kSpread.size());
  // A short unit may follow: "12.5 %", "3 °", "40 ms".
  return std::string_view(end).size() <= 6;
}

std::vector<bool> numeric_columns(const Table& table) {
  std::vector<bool> numeric(table.columns.size(), !table.rows.empty());
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < numeric.size() && i < row.size(); ++i)
      numeric[i] = numeric[i] && looks_numeric(row[i]);
  return numeric;
}

std::string table_cell(std::string_view tag, const std::string& text, bool numeric) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, numeric ? " class=\"number\"" : "",
                     escape_html(text));
}

/// "Loss terms" -> "loss-terms", to link to.
std::string anchor(std::string_view title) {
  std::string id;
  for (const char character : title)
    id += std::isalnum(static_cast<unsigned char>(character))
              ? static_cast<char>(std::tolower(static_cast<unsigned char>(character)))
              : '-';
  return id;
}

constexpr std::string_view name_of(Callout kind) {
  return kind == Callout::kAlarm ? "alarm" : kind == Callout::kWarning ? "warning" : "note";
}

}  // namespace

Section& Section::text(std::string_view paragraph) {
  return raw({fmt::format("<p>{}</p>\n", escape_html(paragraph))});
}

Section& Section::heading(std::string_view text) {
  return raw({fmt::format("<h3>{}</h3>\n", escape_html(text))});
}

Section& Section::facts(const std::vector<Fact>& facts) {
  Html html{"<dl class=\"facts\">"};
  for (const Fact& fact : facts)
    html.markup += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape_html(fact.name),
                               escape_html(fact.value));
  html.markup += "</dl>\n";
  return raw(html);
}

Section& Section::tiles(const std::vector<Tile>& tiles) {
  Html html{"<div class=\"tiles\">"};
  for (const Tile& tile : tiles)
    html.markup += fmt::format(
        "<div class=\"tile\"><span>{}</span><strong>{}<small>{}</small></strong><em>{}</em></div>",
        escape_html(tile.label), escape_html(tile.value), escape_html(tile.unit),
        escape_html(tile.note));
  html.markup += "</div>\n";
  return raw(html);
}

Section& Section::table(const Table& table) {
  const std::vector<bool> numeric = numeric_columns(table);
  Html html{"<div class=\"scroll\"><table><thead><tr>"};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    html.markup += table_cell("th", table.columns[i], numeric[i]);
  html.markup += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    html.markup += "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      html.markup += table_cell("td", i < row.size() ? row[i] : "", numeric[i]);
    html.markup += "</tr>";
  }
  html.markup += "</tbody></table></div>\n";
  return raw(html);
}

Section& Section::callout(Callout kind, std::string_view title, std::string_view text) {
  return raw({fmt::format("<div class=\"callout {}\" role=\"note\"><b>{}</b> {}</div>\n",
                          name_of(kind), escape_html(title), escape_html(text))});
}

Section& Section::charts(const std::vector<LineChart>& charts) {
  Html html{"<div class=\"charts\">"};
  for (const LineChart& chart : charts) html += chart_figure(chart);
  html.markup += "</div>\n";
  return raw(html);
}

Section& Section::code(std::string_view text) {
  return raw({fmt::format("<pre><code>{}</code></pre>\n", escape_html(text))});
}

Section& Section::folded(std::string_view summary, const Section& content) {
  return raw({fmt::format("<details><summary>{}</summary>{}</details>\n", escape_html(summary),
                          content.content().markup)});
}

Section& Section::raw(const Html& html) {
  content_ += html;
  return *this;
}

Page::Page(std::string title, std::string kicker, std::string summary)
    : title_(std::move(title)), kicker_(std::move(kicker)), summary_(std::move(summary)) {}

Section& Page::add_section(std::string title) { return sections_.emplace_back(std::move(title)); }

std::string Page::html() const {
  std::string above, contents, body;
  for (const Section& section : sections_) {
    if (section.title().empty()) {
      above += section.content().markup;
      continue;
    }
    const std::string id = anchor(section.title()), title = escape_html(section.title());
    contents += fmt::format("<a href=\"#{}\">{}</a> ", id, title);
    body += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title,
                        section.content().markup);
  }
  using fmt::arg;
  return fmt::format(fmt::runtime(kPageHtml), arg("title", escape_html(title_)),
                     arg("style", kPageCss), arg("kicker", escape_html(kicker_)),
                     arg("summary", escape_html(summary_)), arg("above", above),
                     arg("contents", contents), arg("body", body),
                     arg("footer", escape_html(footer_)), arg("script", kPageJs));
}

}  // namespace pointpng
