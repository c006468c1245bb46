#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "pointpng/error.h"
#include "pointpng/training.h"

namespace pointpng {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RunLogTest : public ::testing::Test {
 protected:
  RunLog read(const std::string& text) const {
    folder_.write("log.jsonl", text);
    return read_run_log(folder_ / "log.jsonl");
  }

  const TemporaryFolder folder_;
};

TEST_F(RunLogTest, ARunIsReadAsAWhole) {
  EXPECT_THROW(read_run(folder_.path()), InputError);
  folder_.write("config.json", R"({"seed": 4, "model": {"width": 8}})");
  EXPECT_THROW(read_run(folder_.path()), InputError);
  folder_.write("log.jsonl", "{\"step\": 3, \"loss\": 1}\n");
  RunRecord run = read_run(folder_.path());
  EXPECT_EQ(run.config["seed"], 4);
  EXPECT_EQ(run.config.begin().key(), "seed");  // as it was written, not sorted
  EXPECT_EQ(run.log.last_step, 3);
  EXPECT_TRUE(run.result.empty());
  folder_.write("encoder.safetensors", "weights");
  EXPECT_EQ(read_run(folder_.path()).result, folder_ / "encoder.safetensors");
  folder_.write("config.json", "[]");
  EXPECT_THROW(read_run(folder_.path()), InputError);
}

std::vector<double> values(const Series& series) {
  std::vector<double> all;
  for (const SeriesPoint& point : series) all.push_back(point.y);
  return all;
}

TEST_F(RunLogTest, SortsLinesByWhatTheyAre) {
  const RunLog log = read(R"({"step": 1, "loss": 2.5, "note": "text", "ok": true}
{"step": 1, "eval": {"pa": 0.5, "success": {"15deg": 0.25}}}

{"step": 2, "event": "done", "message": "all done"}
)");
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(2.5));
  EXPECT_EQ(log.metrics.size(), 1u);
  EXPECT_THAT(values(log.evaluations.at("pa")), ElementsAre(0.5));
  EXPECT_THAT(values(log.evaluations.at("success_15deg")), ElementsAre(0.25));
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].kind, "done");
  EXPECT_EQ(log.events[0].message, "all done");
  EXPECT_EQ(log.last_step, 1);
}

TEST_F(RunLogTest, AHalfWrittenLastLineIsLeftOut) {
  const RunLog log = read("{\"step\":1,\"loss\":2}\n{\"step\":2,\"lo");
  EXPECT_TRUE(log.last_line_cut);
  EXPECT_EQ(log.unreadable_lines, 0u);
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(2.0));
}

TEST_F(RunLogTest, AWholeLastLineWithoutItsEndCounts) {
  const RunLog log = read("{\"step\":1,\"loss\":2}\n{\"step\":2,\"loss\":1}");
  EXPECT_FALSE(log.last_line_cut);
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(2.0, 1.0));
}

TEST_F(RunLogTest, ADamagedLineInTheMiddleIsCounted) {
  const RunLog log =
      read("{\"step\":1,\"loss\":2}\n\xFF\xFE garbage\n[1]\n{\"step\":2,\"loss\":1}\n");
  EXPECT_EQ(log.unreadable_lines, 2u);
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(2.0, 1.0));
}

TEST_F(RunLogTest, AfterAResumeTheLaterLinesStand) {
  const RunLog log = read(R"({"step": 10, "loss": 5, "elapsed_s": 1}
{"step": 20, "loss": 4, "elapsed_s": 2}
{"step": 20, "eval": {"pa": 0.2}}
{"step": 30, "loss": 3, "elapsed_s": 3, "old": 1}
{"step": 30, "eval": {"pa": 0.3}}
{"step": 20, "event": "resume"}
{"step": 25, "loss": 3.5, "elapsed_s": 2.5}
{"step": 35, "loss": 2.5, "elapsed_s": 3.5}
)");
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(5, 4, 3.5, 2.5));
  EXPECT_THAT(values(log.evaluations.at("pa")), ElementsAre(0.2));
  EXPECT_TRUE(log.metrics.at("old").empty());
  EXPECT_EQ(log.steps_back, 1u);
  EXPECT_EQ(log.last_step, 35);
  EXPECT_DOUBLE_EQ(log.training_seconds, 3.5);
}

TEST_F(RunLogTest, AClockThatStartsAgainIsAddedUp) {
  const RunLog log = read(R"({"step": 10, "elapsed_s": 100}
{"step": 20, "elapsed_s": 200}
{"step": 30, "elapsed_s": 5}
)");
  EXPECT_DOUBLE_EQ(log.training_seconds, 205.0);
}

TEST_F(RunLogTest, ValuesThatAreNoNumbersAreKeptAsSuch) {
  const RunLog log = read(R"({"step": 1, "loss": null}
{"step": 2, "loss": NaN, "pa": 0.5}
{"step": 3, "loss": -Infinity}
{"step": 4, "loss": 1e308}
{"step": 5, "loss": 1}
)");
  ASSERT_EQ(log.metrics.at("loss").size(), 5u);
  EXPECT_TRUE(std::isinf(log.metrics.at("loss")[3].y));
  EXPECT_TRUE(std::isnan(log.metrics.at("loss")[1].y));
  EXPECT_THAT(values(log.metrics.at("pa")), ElementsAre(0.5));
  EXPECT_EQ(log.unreadable_lines, 0u);
}

TEST_F(RunLogTest, AnEmptyLogIsARunThatJustStarted) { EXPECT_TRUE(read("").metrics.empty()); }

TEST_F(RunLogTest, AnotherKindOfFileIsRefused) {
  EXPECT_THAT([&] { read("these are\nthe wrong lines\n"); },
              ThrowsMessage<InputError>(HasSubstr("holds no line")));
  EXPECT_THROW(read_run_log(folder_ / "nothing"), InputError);
}

TEST_F(RunLogTest, AbsurdNestingIsALineThatCantBeRead) {
  const std::string deep = "{\"step\":1,\"a\":" + std::string(200'000, '[');
  const std::string closed =
      "{\"step\":1,\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  const RunLog log = read(deep + "\n" + closed + "\n{\"step\":1,\"loss\":3}\n");
  EXPECT_EQ(log.unreadable_lines, 2u);
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(3.0));
}

TEST_F(RunLogTest, ALyingStepIsNotBelieved) {
  const RunLog log = read("{\"step\":1e300,\"loss\":2}\n{\"step\":1,\"loss\":3}\n");
  EXPECT_EQ(log.unreadable_lines, 1u);
  EXPECT_THAT(values(log.metrics.at("loss")), ElementsAre(3.0));
}

}  // namespace
}  // namespace pointpng
