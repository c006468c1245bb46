#include "report/html.h"

#include <cstddef>

namespace pointpng {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Bytes of the UTF-8 sequence at the start of `text`, 0 where there is none.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80                    ? 1
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  if (length < 3) return length;
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                   (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return bad ? 0 : length;
}

bool is_control(char character) {
  return static_cast<unsigned char>(character) < 0x20 || character == 0x7F;
}

std::string_view escape_ascii(char character, std::string_view itself) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return itself;
    default:
      return is_control(character) ? kReplacementCharacter : itself;
  }
}

/// `text` with ASCII characters mapped by `of_ascii` and invalid bytes replaced.
template <class OfAscii>
std::string cleaned(std::string_view text, OfAscii of_ascii) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      clean += kReplacementCharacter;
      text.remove_prefix(1);
      continue;
    }
    clean += length == 1 ? of_ascii(text.substr(0, 1)) : text.substr(0, length);
    text.remove_prefix(length);
  }
  return clean;
}

}  // namespace

std::string escape_html(std::string_view text) {
  return cleaned(text, [](std::string_view one) { return escape_ascii(one[0], one); });
}

std::string printable(std::string_view text) {
  return cleaned(
      text, [](std::string_view one) { return is_control(one[0]) ? kReplacementCharacter : one; });
}

}  // namespace pointpng
