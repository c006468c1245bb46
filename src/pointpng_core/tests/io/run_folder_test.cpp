#include "io/run_folder.h"

#include <cmath>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal.h"
#include "base/temporary_folder.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(RunFolderTest, KeepsConfigurationAndLog) {
  const TemporaryFolder scratch;
  const auto path = scratch / "deep/run";
  {
    RunFolder folder = RunFolder::create(path, {{"seed", 4}});
    folder.log({{"step", 1}});
  }
  RunFolder again = RunFolder::open(path);
  EXPECT_EQ(again.config(), (json{{"seed", 4}}));
  again.log({{"step", 2}});
  EXPECT_EQ(read_file(path / "log.jsonl"), "{\"step\":1}\n{\"step\":2}\n");
}

TEST(RunFolderTest, NeverOverwritesARun) {
  const TemporaryFolder scratch;
  RunFolder::create(scratch / "run", {{"seed", 4}});
  EXPECT_THAT(refusal([&] {
                RunFolder::create(scratch / "run", {{"seed", 5}});
              }),
              HasSubstr("--resume"));
  EXPECT_EQ(RunFolder::open(scratch / "run").config()["seed"], 4);
}

TEST(RunFolderTest, RefusesAPlaceThatCanNotBeAFolder) {
  const TemporaryFolder scratch;
  std::ofstream(scratch / "file") << "x";
  EXPECT_THAT(refusal([&] { RunFolder::create(scratch / "file", json::object()); }),
              HasSubstr("file"));
  EXPECT_THAT(refusal([&] { RunFolder::create(scratch / "file/run", json::object()); }),
              HasSubstr("file"));
}

TEST(RunFolderTest, OpensOnlyRuns) {
  const TemporaryFolder scratch;
  EXPECT_THAT(refusal([&] { RunFolder::open(scratch / "nothing"); }), HasSubstr("no run"));
  RunFolder::create(scratch / "run", {{"seed", 4}});
  std::ofstream(scratch / "run/config.json") << "{\"seed\": ";
  EXPECT_THAT(refusal([&] { RunFolder::open(scratch / "run"); }), HasSubstr("config.json"));
}

TEST(RunFolderTest, AHalfWrittenLineSpoilsOnlyItself) {
  const TemporaryFolder scratch;
  RunFolder::create(scratch / "run", json::object()).log({{"step", 1}});
  std::ofstream(scratch / "run/log.jsonl", std::ios::app) << "{\"step\": 2, \"lo";
  RunFolder::open(scratch / "run").log({{"step", 3}});
  EXPECT_EQ(read_file(scratch / "run/log.jsonl"),
            "{\"step\":1}\n{\"step\": 2, \"lo\n{\"step\":3}\n");
}

TEST(RunFolderTest, NumbersThatAreNotFiniteStayReadable) {
  const TemporaryFolder scratch;
  RunFolder::create(scratch / "run", json::object()).log({{"loss", std::nan("")}});
  EXPECT_EQ(read_file(scratch / "run/log.jsonl"), "{\"loss\":null}\n");
}

TEST(RunFolderTest, TheResultIsNamedAfterWhatItIs) {
  const TemporaryFolder scratch;
  const auto name = [&](const char* objective) {
    const json config = {{"train", {{"objective", objective}}}};
    return RunFolder::create(scratch / objective, config).result().filename().string();
  };
  EXPECT_EQ(name("pointpng"), "model.safetensors");
  EXPECT_EQ(name("mae"), "encoder.safetensors");
  EXPECT_EQ(name("point2vec"), "encoder.safetensors");
}

}  // namespace
}  // namespace pointpng
