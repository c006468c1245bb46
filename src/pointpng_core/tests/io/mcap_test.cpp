// MCAP files as other writers make them, record by record.

#include "io/cdr.h"
#include "io/compression.h"
#include "io/mcap_format.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text(const std::string& content) {
  return raw(static_cast<std::uint32_t>(content.size())) + content;
}
std::string record(mcap::Opcode opcode, const std::string& content) {
  return std::string(1, static_cast<char>(opcode)) + raw(std::uint64_t{content.size()}) + content;
}
std::string schema() {
  return record(mcap::kSchema, raw(std::uint16_t{1}) + text("sensor_msgs/msg/PointCloud2") +
                                   text("ros2msg") + text(""));
}
std::string channel(const std::string& encoding = "cdr") {
  return record(mcap::kChannel, raw(std::uint16_t{7}, std::uint16_t{1}) + text("/points") +
                                    text(encoding) + text(""));
}
std::string message(std::uint64_t time) {
  const Cloud points = make_cloud({{static_cast<float>(time), 2, 3}});
  const auto cdr = encode_point_cloud2(from_cloud(points, "map", 0));
  return record(mcap::kMessage,
                raw(std::uint16_t{7}, std::uint32_t{0}, time, time) +
                    std::string(reinterpret_cast<const char*>(cdr.data()), cdr.size()));
}
std::string chunk(const std::string& records, const std::string& compression = "",
                  std::uint64_t size = 0, std::uint32_t crc = 0) {
  return record(mcap::kChunk,
                raw(std::uint64_t{0}, std::uint64_t{0}, size ? size : records.size(), crc) +
                    text(compression) + raw(std::uint64_t{records.size()}) + records);
}
std::string file(const std::string& records) {
  return std::string(mcap::kMagic) + record(mcap::kHeader, text("ros2") + text("test")) + records +
         record(mcap::kDataEnd, raw(std::uint32_t{0})) +
         record(mcap::kFooter, raw(std::uint64_t{0}, std::uint64_t{0}, std::uint32_t{0})) +
         std::string(mcap::kMagic);
}

struct Contents {
  std::vector<std::int64_t> times;
  std::vector<std::string> notes;
};

Contents read(const std::string& content) {
  const TemporaryFolder folder;
  Contents contents;
  read_clouds(
      folder.write("a.mcap", content), "",
      [&](const CloudMessage& cloud) {
        EXPECT_EQ(to_cloud(cloud.cloud)(0, 0), static_cast<float>(cloud.receive_ns));
        contents.times.push_back(cloud.receive_ns);
        return true;
      },
      &contents.notes);
  return contents;
}

TEST(Mcap, WithoutChunksIsReadInTheOrderOfTime) {
  EXPECT_THAT(read(file(schema() + channel() + message(3) + message(1) + message(2))).times,
              ElementsAre(1, 2, 3));
}

TEST(Mcap, WithoutIndexSaysSo) {
  const Contents contents =
      read(file(chunk(schema() + channel() + message(2)) + chunk(message(1))));
  EXPECT_THAT(contents.times, ElementsAre(1, 2));
  EXPECT_THAT(contents.notes, ElementsAre(HasSubstr("has no index")));
}

TEST(Mcap, ChunksMayOverlapInTime) {
  EXPECT_THAT(read(file(chunk(schema() + channel() + message(1) + message(4)) +
                        chunk(message(2) + message(3))))
                  .times,
              ElementsAre(1, 2, 3, 4));
}

TEST(Mcap, UnknownRecordsAndChannelsAreSkipped) {
  const std::string unknown = std::string(1, '\x7E') + raw(std::uint64_t{3}) + "abc";
  std::string stray = message(9);
  stray[9] = 8;  // its channel
  EXPECT_THAT(read(file(unknown + schema() + channel() + stray + message(1))).times,
              ElementsAre(1));
}

TEST(Mcap, TheLastChunkOfACutOffFileGivesItsWholeMessages) {
  const std::string whole = chunk(schema() + channel() + message(1) + message(2) + message(3));
  const std::string start =
      std::string(mcap::kMagic) + record(mcap::kHeader, text("ros2") + text("x"));
  const Contents contents = read(start + whole.substr(0, whole.size() - 20));
  EXPECT_THAT(contents.times, ElementsAre(1, 2));
  EXPECT_THAT(contents.notes, Contains(HasSubstr("2 messages")));
}

TEST(Mcap, ChunkSizesThatLieAreNotAllocated) {
  const std::string first = chunk(schema() + channel() + message(1));
  for (const std::string compression : {"", "zstd", "lz4"}) {
    const Contents contents =
        read(file(first + chunk(message(2), compression, std::uint64_t{1} << 60)));
    EXPECT_THAT(contents.times, ElementsAre(1)) << compression;
    EXPECT_THAT(contents.notes, Contains(HasSubstr("promises 1152921504606846976 bytes")));
  }
}

TEST(Mcap, WrongChecksumsAndEncryptedChunksAreReported) {
  const std::string first = chunk(schema() + channel() + message(1));
  EXPECT_THAT(read(file(first + chunk(message(2), "", 0, 12345))).notes,
              Contains(HasSubstr("wrong checksum")));
  EXPECT_THAT(read(file(first + chunk(message(2), "aes"))).notes,
              Contains(HasSubstr("compressed or encrypted with 'aes'")));
}

TEST(Mcap, Ros1AndOtherEncodingsAreRefused) {
  expect_input_error([&] { read(file(schema() + channel("ros1") + message(1))); },
                     "the encoding of ROS 1");
  expect_input_error([&] { read(file(schema() + channel("json") + message(1))); },
                     "the encoding 'json'");
}

TEST(Mcap, RecordLengthsThatLieEndTheReading) {
  std::string broken = message(2);
  broken.replace(1, 8, raw(std::uint64_t{0xFFFFFFFFFFFFFFFFU}));
  const Contents contents = read(file(schema() + channel() + message(1) + broken));
  EXPECT_THAT(contents.times, ElementsAre(1));
  EXPECT_THAT(contents.notes, Contains(HasSubstr("1 messages")));
}

}  // namespace
}  // namespace pointpng
