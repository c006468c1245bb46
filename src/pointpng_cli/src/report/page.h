#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart.h"
#include "report/html.h"

namespace pointpng {

/// A name and its value, as in a configuration.
struct Fact {
  std::string name;
  std::string value;
};

/// An important figure, shown large.
struct Tile {
  std::string label;
  std::string value;
  std::string unit;
  std::string note;
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Severity of a callout.
enum class Callout { kNote, kWarning, kAlarm };

/// A part of a page with its own heading. All text is escaped, except in `raw`.
class Section {
 public:
  explicit Section(std::string title) : title_(std::move(title)) {}

  Section& text(std::string_view paragraph);
  Section& heading(std::string_view text);
  Section& facts(const std::vector<Fact>& facts);
  Section& tiles(const std::vector<Tile>& tiles);
  /// Columns in which every cell is a number are aligned right.
  Section& table(const Table& table);
  Section& callout(Callout kind, std::string_view title, std::string_view text);
  /// Side by side where the window is wide enough.
  Section& charts(const std::vector<LineChart>& charts);
  /// Text to copy, such as a command.
  Section& code(std::string_view text);
  /// Collapsible `content`; expanded in print.
  Section& folded(std::string_view summary, const Section& content);
  Section& raw(const Html& html);

  const std::string& title() const { return title_; }
  const Html& content() const { return content_; }

 private:
  std::string title_;
  Html content_;
};

/// One self-contained HTML file: style, script and drawings are inside; nothing is loaded.
class Page {
 public:
  /// `kicker` is the small line above the title, `summary` the sentence below it.
  Page(std::string title, std::string kicker, std::string summary);

  /// A section without a title stands above the table of contents.
  Section& add_section(std::string title);
  /// The last line.
  void set_footer(std::string text) { footer_ = std::move(text); }

  std::string html() const;

 private:
  std::string title_, kicker_, summary_, footer_;
  std::deque<Section> sections_;  // references that were handed out stay valid
};

}  // namespace pointpng
