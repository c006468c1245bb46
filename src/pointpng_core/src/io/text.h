#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pointpng {

/// The number that the whole token spells ("nan" and "inf" count, "1.2x" does not).
std::optional<double> parse_number(std::string_view token);

/// The integer that the whole token spells.
std::optional<std::int64_t> parse_integer(std::string_view token);

/// Splits text from front to back, without copies.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  /// The rest of the current line without its line break; nothing at the end of the text.
  std::optional<std::string_view> line();

  /// The next run of characters between white space, over line breaks. With `comment`, the rest of
  /// a line from that character on is white space too.
  std::optional<std::string_view> token(char comment = '\0');

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return text_.size() - position_; }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

/// The text without white space around it.
std::string_view trimmed(std::string_view text);

/// True for the characters that separate numbers in text files of points: blanks, commas,
/// semicolons.
bool is_separator(char c);

/// Takes the next field off the front of a line; an empty view where there is none.
std::string_view next_field(std::string_view& line);

}  // namespace pointpng
