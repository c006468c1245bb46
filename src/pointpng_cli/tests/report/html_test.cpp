#include "report/html.h"

#include <gtest/gtest.h>

namespace pointpng {
namespace {

TEST(EscapeHtml, TagsAndQuotesStayText) {
  EXPECT_EQ(escape_html(R"(<script>alert("a" & 'b')</script>)"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;");
}

TEST(EscapeHtml, Utf8IsKept) { EXPECT_EQ(escape_html("5° Θ 点 🛠"), "5° Θ 点 🛠"); }

TEST(EscapeHtml, BytesThatAreNotUtf8AreReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_html("a\xFF"), "a" + mark);
  EXPECT_EQ(escape_html("\xC3"), mark);                        // cut at the end
  EXPECT_EQ(escape_html("\xC0\xBC"), mark + mark);             // an overlong "<"
  EXPECT_EQ(escape_html("\xED\xA0\x80"), mark + mark + mark);  // a surrogate
}

TEST(EscapeHtml, ControlCharactersAreReplaced) {
  EXPECT_EQ(escape_html(std::string_view("a\0b\n", 4)),
            "a\xEF\xBF\xBD"
            "b\n");
}

}  // namespace
}  // namespace pointpng
