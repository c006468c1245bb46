#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "<script>alert(1)</script>\"'&";

TEST(XmlFault, SeesWhatIsWrong) {
  EXPECT_EQ(xml_fault("<a x=\"1\"><b/>text</a>"), "");
  for (const char* wrong :
       {"<a>", "</a>", "<a><b></a></b>", "<a x=1></a>", "<a x=\"<\"></a>", "a < b"})
    EXPECT_NE(xml_fault(wrong), "") << wrong;
}

TEST(Section, AllTextIsEscapedAndWellFormed) {
  Section section(kEvil);
  Section inner(kEvil);
  inner.text(kEvil);
  section.text(kEvil)
      .heading(kEvil)
      .facts({{kEvil, kEvil}})
      .tiles({{kEvil, kEvil, kEvil, kEvil}})
      .table({{kEvil}, {{kEvil}}})
      .callout(Callout::kAlarm, kEvil, kEvil)
      .code(kEvil)
      .folded(kEvil, inner);
  const std::string& html = section.content().markup;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_EQ(count_of(html, "&lt;script&gt;"), 15);
}

TEST(Section, NumbersOfATableAreAlignedRight) {
  Section section("");
  section.table({{"object", "error"}, {{"mug", "1.5 °"}, {"chair", "12"}}});
  EXPECT_EQ(count_of(section.content().markup, "class=\"number\""), 3);
}

TEST(Section, AShortRowIsFilledAndALongOneIsCut) {
  Section section("");
  section.table({{"a", "b"}, {{"1"}, {"1", "2", "3"}}});
  EXPECT_EQ(count_of(section.content().markup, "<td"), 4);
}

TEST(Page, TitlesAreLinkedFromTheContents) {
  Page page("T", "K", "S");
  page.add_section("").text("above");
  page.add_section("Loss terms").text("below");
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("<a href=\"#loss-terms\">Loss terms</a>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"loss-terms\">"));
  EXPECT_LT(html.find("above"), html.find("<nav"));
}

TEST(Page, ReferencesToSectionsStayValid) {
  Page page("T", "K", "S");
  Section& first = page.add_section("First");
  for (int i = 0; i < 100; ++i) page.add_section("Other");
  first.text("written late");
  EXPECT_THAT(page.html(), HasSubstr("written late"));
}

TEST(Page, LoadsNothing) {
  Page page(kEvil, kEvil, kEvil);
  page.set_footer(kEvil);
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_EQ(count_of(html, "<script"), 1);
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_EQ(count_of(html, "href="), count_of(html, "href=\"#"));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
}

}  // namespace
}  // namespace pointpng
