#include "report/run_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pointpng/error.h"
#include "pointpng/io.h"
#include "report/temporary_run.h"
#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr const char* kConfig = R"({
  "command": "pretrain", "version": "0.1.0", "preset": "tiny", "seed": 7, "device": "cpu",
  "started": "2025-06-01T12:30:05Z",
  "model": {"backbone": "equivariant", "predictor": "wigner", "decoder": {"depth": 3}},
  "train": {"epochs": 4, "minutes": 0, "beta": 0.30000001192092896},
  "data": [{"source": "my <chairs>.h5", "shapes": 880}],
  "machine": {"cpu": "Example", "cores": 2},
  "parameters": {"backbone": 1240000, "predictor": 0}})";

class RunReportTest : public TemporaryRun {
 protected:
  std::string report(const std::string& log, const std::string& config = kConfig) const {
    write("config.json", config);
    write("log.jsonl", log);
    write_run_report(folder_, folder_ / "report.html");
    return read_file(folder_ / "report.html");
  }

  /// The body without the script: what must be well-formed and is seen.
  static std::string body(const std::string& html) {
    const std::size_t first = html.find("<header>");
    return html.substr(first, html.find("<script>") - first);
  }
};

TEST_F(RunReportTest, TellsWhatTheRunWas) {
  const std::string html = report(R"({"step": 1, "loss": 4, "elapsed_s": 60, "pa": 0.1}
{"step": 2, "loss": 2, "elapsed_s": 125, "pa": 0.9}
{"step": 2, "eval": {"rotation_deg_mean": 4.25, "success_15deg": 0.975}}
{"step": 2, "event": "done"}
)");
  EXPECT_EQ(xml_fault(body(html)), "");
  EXPECT_THAT(
      html,
      AllOf(HasSubstr("Pre-training of the tiny model"),
            HasSubstr("Finished after 2 steps in 2 min 5 s, started 2025-06-01 12:30 "
                      "UTC. The loss fell from 4 to 2."),
            HasSubstr("<strong>4.25°"), HasSubstr("<strong>97.5\u202F%"),
            HasSubstr("<dt>decoder.depth</dt><dd>3</dd>"), HasSubstr("<dt>beta</dt><dd>0.3</dd>"),
            HasSubstr("<dt>Processor</dt><dd>Example</dd>"), HasSubstr("Predictor accuracy")));
  EXPECT_THAT(html, Not(HasSubstr("class=\"callout")));
}

TEST_F(RunReportTest, NamesTheCommandQuotedForAShell) {
  EXPECT_THAT(
      report(""),
      HasSubstr("pointpng pretrain --data &#39;my &lt;chairs&gt;.h5&#39; --out RUN --preset tiny "
                "--backbone equivariant --predictor wigner --epochs 4 --seed 7 --device cpu<"));
  EXPECT_THAT(report("", R"({"command_line": "pointpng mae --data x"})"),
              HasSubstr("<code>pointpng mae --data x</code>"));
}

TEST_F(RunReportTest, TextOfTheRunStaysText) {
  const std::string html = report(
      R"({"step": 1, "loss": 1, "<script>x</script>": 2}
{"step": 1, "event": "collapse", "message": "<script>alert(1)</script>"}
)",
      R"({"preset": "<script>", "model": {"<script>": "<script>"}, "data": [{"<script>": 1}, "<script>"]})");
  EXPECT_EQ(count_of(html, "<script"), 1);
  EXPECT_EQ(xml_fault(body(html)), "");
}

TEST_F(RunReportTest, SaysWhatWentWrong) {
  const std::string html = report(R"({"step": 10, "loss": 4, "pa": 0.9}
{"step": 20, "loss": null, "pa": 0.9}
{"step": 15, "event": "collapse", "message": "AE 0.01"}
{"step": 20, "event": "nan"}
{"step": 21, "lo)");
  EXPECT_THAT(html, AllOf(HasSubstr("<b>Collapse.</b> Since step 15, detected once"),
                          HasSubstr("1 logged value, the first: loss at step 20"),
                          HasSubstr("half-written"), HasSubstr("No pose error was measured"),
                          HasSubstr("<strong>NaN")));
}

TEST_F(RunReportTest, TellsAFinishedRunFromAnInterruptedOne) {
  const std::string step = "{\"step\": 5, \"loss\": 1}\n";
  const std::string stop = "{\"step\": 5, \"event\": \"stop\"}\n";
  const std::string resume = "{\"step\": 5, \"event\": \"resume\"}\n";
  const std::string done = "{\"step\": 9, \"event\": \"done\"}\n";
  EXPECT_THAT(report(step), HasSubstr("No end in the log."));
  EXPECT_THAT(report(step + stop), HasSubstr("<b>Stopped early.</b>"));
  EXPECT_THAT(report(step + stop + resume), HasSubstr("No end in the log."));
  EXPECT_THAT(
      report(step + stop + resume + done),
      AllOf(HasSubstr("resumed once"), Not(HasSubstr("Stopped early")), Not(HasSubstr("No end"))));
}

TEST_F(RunReportTest, AnEmptyLogIsSaidToBeSo) {
  const std::string html = report("");
  EXPECT_THAT(html, HasSubstr("Nothing logged yet"));
  EXPECT_EQ(xml_fault(body(html)), "");
}

TEST_F(RunReportTest, UnknownMeasurementsAreDrawnToo) {
  EXPECT_THAT(report("{\"step\": 1, \"my_metric\": 1}\n{\"step\": 2, \"my_metric\": 3}\n"),
              HasSubstr("<h3>my_metric</h3>"));
}

TEST_F(RunReportTest, ALongLogMakesASmallPage) {
  std::string log;
  for (int step = 1; step <= 100'000; ++step)
    log += fmt::format(
        "{{\"step\":{0},\"loss\":{1},\"align\":{1},\"cope\":{1},\"unif\":{1},\"pa\":{1},\"ae\":{1},"
        "\"lr\":{1},\"grad_norm\":{1},\"clouds_per_s\":{1}}}\n",
        step, 1.0 + (step * 7919 % 1000) / 1000.0);
  const std::string html = report(log);
  EXPECT_LT(html.size(), 1'000'000u);
  EXPECT_EQ(count_of(html, "<path class=\"main\""), 9);
}

TEST_F(RunReportTest, ManyUnknownMeasurementsDoNotFloodThePage) {
  std::string log;
  for (int i = 0; i < 1000; ++i) log += fmt::format("{{\"step\":1,\"m{}\":1}}\n", i);
  EXPECT_THAT(report(log), HasSubstr("976 more curves are in log.jsonl"));
}

TEST_F(RunReportTest, TheTableOfADemonstrationIsShown) {
  write("demo.json",
        R"({"title": "Found", "columns": ["object", "error"], "rows": [["mug", 0.7]]})");
  EXPECT_THAT(report(""), AllOf(HasSubstr("<p>Found</p>"), HasSubstr("<td>mug</td>"),
                                HasSubstr("<td class=\"number\">0.7</td>")));
  write("demo.json", "{\"columns\": ");
  EXPECT_THAT(report(""), HasSubstr("demo.json of this run can&#39;t be read"));
}

TEST_F(RunReportTest, AConfigurationOfOtherTypesIsShownAsFarAsItGoes) {
  const std::string html = report("", R"({"command": 5, "model": [1, {"a": 2}], "train": null,
    "data": {"no": "list"}, "machine": "one", "parameters": "many", "started": 7, "seed": null})");
  EXPECT_EQ(xml_fault(body(html)), "");
}

TEST_F(RunReportTest, WhatIsNoRunIsRefusedWithASentence) {
  const auto write_report = [&] { write_run_report(folder_, folder_ / "report.html"); };
  EXPECT_THAT([&] { write_run_report(folder_ / "none", folder_ / "report.html"); },
              ThrowsMessage<InputError>(HasSubstr("is not a folder")));
  EXPECT_THAT(write_report, ThrowsMessage<InputError>(HasSubstr("has no config.json")));
  write("config.json", "{\"seed\": ");
  EXPECT_THAT(write_report, ThrowsMessage<InputError>(HasSubstr("has no log.jsonl")));
  write("log.jsonl", "");
  EXPECT_THAT(write_report, ThrowsMessage<InputError>(HasSubstr("is not a JSON object")));
  write("config.json", "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
  EXPECT_THAT(write_report, ThrowsMessage<InputError>(HasSubstr("is not a JSON object")));
  write("config.json", "{}");
  EXPECT_THAT([&] { write_run_report(folder_, folder_); },
              ThrowsMessage<InputError>(HasSubstr("is a folder")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.html"));
}

}  // namespace
}  // namespace pointpng
