#include "report/alignment_report.h"

#include <limits>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pointpng/io.h"
#include "report/alignment_examples.h"
#include "report/temporary_run.h"
#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kEvil = "</script><script>alert(1)</script>\"'&";

/// What the page's script reads.
nlohmann::json data_of(const std::string& html) {
  const std::string opening = "id=\"alignments\">";
  const std::size_t first = html.find(opening) + opening.size();
  return nlohmann::json::parse(html.substr(first, html.find("</script>", first) - first));
}

/// The body without scripts and style: what must be well-formed and is seen.
std::string body_of(const std::string& html) {
  std::string body = html.substr(html.find("<header>"));
  for (const char* tag : {"style", "script"})
    for (std::size_t at; (at = body.find("<" + std::string(tag))) != std::string::npos;) {
      const std::string closing = "</" + std::string(tag) + ">";
      body.erase(at, body.find(closing, at) + closing.size() - at);
    }
  return body.substr(0, body.find("</body>"));
}

/// Points that base64 text holds: 12 bytes each.
std::size_t points_in(const nlohmann::json& cloud) {
  const auto text = cloud.at("points").get<std::string>();
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  return (text.size() / 4 * 3 - padding) / 12;
}

std::string with(const std::function<void(AlignmentPage&)>& change) {
  AlignmentPage page = accepted_example(50);
  change(page);
  return alignment_page(page);
}

TEST(AlignmentPage, TellsTheAnswerInWordsAndNumbers) {
  const std::string html = alignment_page(accepted_example(50));
  EXPECT_EQ(xml_fault(body_of(html)), "");
  EXPECT_THAT(html, AllOf(HasSubstr("chair scan.ply → chair.off"), HasSubstr("Accepted"),
                          HasSubstr("98.7\u202F% confidence"),
                          HasSubstr("chair scan.ply fits onto chair.off: rotation 143.0°, "
                                    "translation 1.09\u202Fm.")));
  EXPECT_THAT(html, AllOf(HasSubstr("<dd>0.001, 0.002, 0.003\u202Fm</dd>"),  // from the covariance
                          HasSubstr("<dd>0.0573, 0.0573, 0.115°</dd>"),
                          HasSubstr("refine <b>12.4 ms</b>"), HasSubstr("other <b>0.500 ms</b>"),
                          HasSubstr("<dt>search.grid</dt><dd>576</dd>")));
  EXPECT_THAT(html, Not(HasSubstr("class=\"callout")));
}

TEST(AlignmentPage, ShowsTheTransformOfEveryHypothesisAndHidesAllButTheFirst) {
  const std::string html = alignment_page(accepted_example(50));
  EXPECT_EQ(count_of(body_of(html), "data-pose=\""), 4);
  EXPECT_EQ(count_of(body_of(html), "data-pose-of=\""), 4);
  EXPECT_EQ(count_of(body_of(html), "\" hidden=\"hidden\"><h3>Hypothesis"), 3);
  EXPECT_EQ(data_of(html)[0]["poses"].size(), 4U);
}

TEST(AlignmentPage, ARejectionGivesItsReasonAndWarnsOfTheTransform) {
  const std::string html = alignment_page(rejected_example());
  EXPECT_EQ(xml_fault(body_of(html)), "");
  EXPECT_THAT(html,
              AllOf(HasSubstr("Rejected"), HasSubstr("Only 70 % of the source"),
                    HasSubstr("Do not use the transform"), HasSubstr("a hypothesis, not a result"),
                    HasSubstr("downsampled from 120 000")));
  EXPECT_THAT(html, Not(HasSubstr("fits onto")));
}

TEST(AlignmentPage, SeveralModesAreExplained) {
  EXPECT_THAT(with([](AlignmentPage& page) { page.alignment.num_symmetric_modes = 3; }),
              HasSubstr("3 poses fit equally well."));
  EXPECT_THAT(with([](AlignmentPage&) {}), Not(HasSubstr("fit equally well.")));
}

TEST(AlignmentPage, NamesAndNotesStayText) {
  const std::string html = with([](AlignmentPage& page) {
    page.source_name = page.target_name = page.name = page.model_name = page.unit = kEvil;
    page.settings = {{kEvil, kEvil}};
    page.alignment.notes = {kEvil};
  });
  EXPECT_EQ(xml_fault(body_of(html)), "");
  EXPECT_EQ(count_of(html, "<script"), 3);  // the data, the viewer, the page's own
  EXPECT_EQ(count_of(html, "</script"), 3);
  EXPECT_EQ(data_of(html)[0]["unit"], kEvil);
}

TEST(AlignmentPage, ANameThatIsNotUtf8DoesNotStopThePage) {
  const std::string html = with([](AlignmentPage& page) { page.unit = page.name = "\xFF"; });
  EXPECT_EQ(data_of(html)[0]["unit"], "\xEF\xBF\xBD");
}

TEST(AlignmentPage, NumbersThatAreNoneAreNeverPrinted) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    const std::string html = with([&](AlignmentPage& page) {
      page.source(3, 1) = static_cast<float>(bad);
      Alignment& alignment = page.alignment;
      alignment.confidence = alignment.score = alignment.residual = alignment.evidence.margin = bad;
      alignment.embedding_loss = bad;
      alignment.covariance.fill(bad);
      alignment.times_ms = {bad, bad, bad, bad, bad, bad};
      for (Hypothesis& one : alignment.hypotheses) {
        one.score = one.source_overlap = one.target_overlap = one.residual = bad;
        one.embedding_loss = bad;
      }
      alignment.hypotheses[1].target_from_source.translation().x() = bad;
    });
    const std::string body = body_of(html);
    EXPECT_EQ(xml_fault(body), "");
    EXPECT_FALSE(std::regex_search(body, std::regex("\\b(nan|inf|NaN)\\b|∞"))) << bad;
    const nlohmann::json data = data_of(html)[0];  // JSON has no NaN: it would not be read
    EXPECT_EQ(points_in(data["source"]), 49U);
    EXPECT_TRUE(data["poses"][1].is_null());
    EXPECT_THAT(body, HasSubstr("1 of the source’s points are not finite"));
    EXPECT_THAT(body, HasSubstr("data-pose=\"1\" aria-pressed=\"false\" disabled=\"disabled\""));
    EXPECT_THAT(body, HasSubstr("No times were measured."));
  }
}

TEST(AlignmentPage, OfALargeCloudAPartIsDrawnAndSaidSo) {
  AlignmentReport report;
  report.pages = {accepted_example(300)};
  report.pages[0].target = chair(40, 3);
  report.drawn_points = 100;
  const std::string html = alignment_page(report);
  EXPECT_EQ(points_in(data_of(html)[0]["source"]), 100U);
  EXPECT_EQ(points_in(data_of(html)[0]["target"]), 40U);
  EXPECT_THAT(html, HasSubstr("100 of the source’s 300 points are drawn"));
  EXPECT_THAT(html, Not(HasSubstr("of the target’s")));
  EXPECT_EQ(html, alignment_page(report)) << "the same points every time";
}

TEST(AlignmentPage, FarFromTheOriginPointsKeepTheirPlaceInTheCloud) {
  const auto points = [](const Cloud& source) {
    return data_of(with([&](AlignmentPage& page) { page.source = source; }))[0]["source"];
  };
  Cloud near(3, 3);
  near << 0, 0, 0, 1, 2, 3, 2, 4, 6;
  const Cloud far = near.rowwise() + Eigen::RowVector3f(4e6F, -1e6F, 64);
  EXPECT_EQ(points(near)["points"], points(far)["points"]);
  EXPECT_EQ(points(far)["centre"], nlohmann::json({4000001.0, -999998.0, 67.0}));
}

TEST(AlignmentPage, WithoutHypothesesThereIsNothingToClick) {
  const std::string html = with([](AlignmentPage& page) {
    page.alignment.accepted = false;
    page.alignment.rejection_reason = "A sphere has no pose.";
    page.alignment.hypotheses.clear();
  });
  EXPECT_EQ(xml_fault(body_of(html)), "");
  EXPECT_THAT(html, AllOf(HasSubstr("A sphere has no pose. There is no hypothesis to show."),
                          HasSubstr("No hypothesis was found")));
  EXPECT_EQ(count_of(body_of(html), "data-pose=\""), 0);
}

TEST(AlignmentPage, AnAcceptedAnswerWithoutHypothesesIsShownAsOne) {
  const std::string html = with([](AlignmentPage& page) { page.alignment.hypotheses.clear(); });
  EXPECT_EQ(data_of(html)[0]["poses"].size(), 1U);
  EXPECT_EQ(count_of(body_of(html), "data-pose=\""), 1);
}

TEST(AlignmentPage, CloudsWithoutPointsAreSaidToBeEmpty) {
  const std::string html = with([](AlignmentPage& page) {
    page.source.resize(0, 3);
    page.target.resize(0, 3);
  });
  EXPECT_THAT(
      html, AllOf(HasSubstr("The source has no points."), HasSubstr("The target has no points.")));
  EXPECT_EQ(points_in(data_of(html)[0]["source"]), 0U);
}

TEST(AlignmentPage, OfSeveralAlignmentsTheFirstIsSeen) {
  AlignmentReport report;
  report.pages = {accepted_example(50), rejected_example()};
  report.pages[1].name = "the other";
  const std::string html = alignment_page(report);
  EXPECT_EQ(xml_fault(body_of(html)), "");
  EXPECT_THAT(html, AllOf(HasSubstr("2 alignments"), HasSubstr("1 of 2 were accepted."),
                          HasSubstr("<option value=\"1\">✕ the other</option>")));
  EXPECT_EQ(count_of(html, "data-alignment=\"1\" hidden=\"hidden\""),
            count_of(html, "data-alignment=\"0\">"));
  EXPECT_EQ(data_of(html).size(), 2U);
}

TEST(AlignmentPage, AReportOfNothingIsRefused) {
  EXPECT_THAT([] { alignment_page(AlignmentReport{}); },
              ThrowsMessage<InputError>(HasSubstr("at least one alignment")));
}

class AlignmentReportFile : public TemporaryRun {};

TEST_F(AlignmentReportFile, HoldsThePage) {
  const AlignmentPage page = accepted_example(50);
  write_alignment_report(folder_ / "out.html", page);
  EXPECT_EQ(read_file(folder_ / "out.html"), alignment_page(page));
}

TEST_F(AlignmentReportFile, AFolderIsRefused) {
  EXPECT_THAT([&] { write_alignment_report(folder_, accepted_example(50)); },
              ThrowsMessage<InputError>(HasSubstr("is a folder")));
}

}  // namespace
}  // namespace pointpng
