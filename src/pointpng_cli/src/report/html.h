#pragma once

#include <string>
#include <string_view>

namespace pointpng {

/// Markup that is safe to put into a page as it is. Plain text becomes `Html` through `escape_html`
/// only, so that a file name with a tag in it can't become a tag.
struct Html {
  std::string markup;

  Html& operator+=(const Html& more) {
    markup += more.markup;
    return *this;
  }
};

/// Text for the inside of an element or of a double-quoted attribute. Bytes that are not UTF-8 and
/// control characters become U+FFFD.
std::string escape_html(std::string_view text);

/// Text for a drawing: the same without escaping.
std::string printable(std::string_view text);

}  // namespace pointpng
