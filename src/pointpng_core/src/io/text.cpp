#include "io/text.h"

#include <charconv>
#include <limits>

namespace pointpng {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// from_chars knows no leading plus sign.
std::string_view without_plus(std::string_view token) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  return token;
}

}  // namespace

std::optional<double> parse_number(std::string_view token) {
  token = without_plus(token);
  double value = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || token.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Underflow counts as zero; overflow is not a valid coordinate.
    const bool tiny =
        token.find("e-") != std::string_view::npos || token.find("E-") != std::string_view::npos;
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view token) {
  token = without_plus(token);
  std::int64_t value = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || error != std::errc() || token.empty()) return std::nullopt;
  return value;
}

std::optional<std::string_view> TextScanner::line() {
  if (position_ >= text_.size()) return std::nullopt;
  const std::size_t end = text_.find('\n', position_);
  std::string_view found = text_.substr(position_, end - position_);
  position_ = end == text_.npos ? text_.size() : end + 1;
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

std::optional<std::string_view> TextScanner::token(char comment) {
  while (position_ < text_.size()) {
    if (comment != '\0' && text_[position_] == comment) {
      line();
    } else if (is_space(text_[position_])) {
      ++position_;
    } else {
      break;
    }
  }
  if (position_ >= text_.size()) return std::nullopt;
  const std::size_t begin = position_;
  while (position_ < text_.size() && !is_space(text_[position_]) &&
         (comment == '\0' || text_[position_] != comment))
    ++position_;
  return text_.substr(begin, position_ - begin);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_separator(char c) { return is_space(c) || c == ',' || c == ';'; }

std::string_view next_field(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_separator(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_separator(line[end])) ++end;
  const std::string_view field = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return field;
}

}  // namespace pointpng
