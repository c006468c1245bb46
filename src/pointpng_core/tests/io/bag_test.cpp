#include "io/cdr.h"
#include "io/compression.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

struct Kind {
  BagStorageKind storage;
  BagCompression compression;
};

constexpr Kind kKinds[] = {{BagStorageKind::kMcap, BagCompression::kNone},
                           {BagStorageKind::kMcap, BagCompression::kLz4},
                           {BagStorageKind::kMcap, BagCompression::kZstd},
                           {BagStorageKind::kSqlite3, BagCompression::kNone},
                           {BagStorageKind::kSqlite3, BagCompression::kZstd}};

Cloud cloud_of(int i) { return procedural_shape(1, static_cast<std::uint64_t>(i), 2000).points; }

/// Ten clouds, written in the order 9, 8, … so that their times run backwards.
void write_bag(const fs::path& folder, const Kind& kind, const std::string& topic = "/points",
               std::int64_t offset = 0) {
  BagWriter writer(folder, {kind.storage, kind.compression, 30000});
  for (int i = 9; i >= 0; --i)
    writer.write(topic, kStart + offset + i, from_cloud(cloud_of(i), "map", kStart));
  writer.close();
}

struct Contents {
  std::vector<std::int64_t> times;
  std::vector<Cloud> clouds;
  std::vector<std::string> notes;
};

Contents read(const fs::path& path, const std::string& topic = "") {
  Contents contents;
  read_clouds(
      path, topic,
      [&](const CloudMessage& message) {
        contents.times.push_back(message.receive_ns - kStart);
        contents.clouds.push_back(to_cloud(message.cloud));
        return true;
      },
      &contents.notes);
  return contents;
}

fs::path only_file(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() != ".yaml") return entry.path();
  return {};
}

class EveryBag : public testing::TestWithParam<Kind> {};

TEST_P(EveryBag, IsReadInTheOrderOfTime) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", GetParam());
  const Contents contents = read(folder / "bag");
  EXPECT_THAT(contents.times, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(contents.notes, IsEmpty());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(contents.clouds[static_cast<std::size_t>(i)], cloud_of(i));
}

TEST_P(EveryBag, TellsWhatItHolds) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", GetParam());
  const BagInfo info = inspect_bag(folder / "bag");
  EXPECT_EQ(info.storage, GetParam().storage == BagStorageKind::kMcap ? "mcap" : "sqlite3");
  EXPECT_EQ(info.contents.messages, 10U);
  EXPECT_EQ(info.contents.start_ns, kStart);
  EXPECT_EQ(info.contents.end_ns, kStart + 9);
  ASSERT_EQ(info.contents.topics.size(), 1U);
  EXPECT_EQ(info.contents.topics[0].name, "/points");
  EXPECT_EQ(info.contents.topics[0].type, "sensor_msgs/msg/PointCloud2");
  EXPECT_EQ(info.contents.topics[0].serialization, "cdr");
  EXPECT_EQ(info.contents.topics[0].messages, 10U);
  EXPECT_THAT(info.warnings, IsEmpty());
}

TEST_P(EveryBag, IsReadWithoutOrDespiteItsMetadata) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", GetParam());
  EXPECT_EQ(read(only_file(folder / "bag")).times.size(), 10U);
  folder.write("bag/metadata.yaml", "rosbag2_bagfile_information: [broken");
  const Contents contents = read(folder / "bag");
  EXPECT_EQ(contents.times.size(), 10U);
  EXPECT_THAT(contents.notes, ElementsAre(HasSubstr("is not the metadata of a rosbag2")));
  fs::remove(folder / "bag" / "metadata.yaml");
  EXPECT_EQ(read(folder / "bag").times.size(), 10U);
}

TEST_P(EveryBag, CompressedAsAWholeFileIsRead) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", GetParam());
  const fs::path file = only_file(folder / "bag");
  const std::string content = read_all(file);
  const auto packed = zstd_compress(std::as_bytes(std::span(content)));
  std::ofstream(file.string() + ".zstd", std::ios::binary)
      .write(reinterpret_cast<const char*>(packed.data()),
             static_cast<std::streamsize>(packed.size()));
  fs::remove(file);
  fs::remove(folder / "bag" / "metadata.yaml");
  EXPECT_EQ(read(folder / "bag").times.size(), 10U);
  fs::resize_file(file.string() + ".zstd", packed.size() / 2);
  expect_input_error([&] { read(folder / "bag"); }, "its zstd compression is damaged or cut off");
}

TEST_P(EveryBag, CutOffIsReadUpToTheDamage) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", GetParam());
  const fs::path file = only_file(folder / "bag");
  const auto size = fs::file_size(file);
  std::size_t most = 0;
  for (const double share : {0.3, 0.6, 0.9}) {
    fs::copy_file(file, folder / ("cut" + file.extension().string()),
                  fs::copy_options::overwrite_existing);
    fs::resize_file(folder / ("cut" + file.extension().string()),
                    static_cast<std::uintmax_t>(static_cast<double>(size) * share));
    const Contents contents = read(folder / ("cut" + file.extension().string()));
    EXPECT_GE(contents.clouds.size(), most);
    EXPECT_LT(contents.clouds.size(), 11U);
    most = contents.clouds.size();
    EXPECT_THAT(contents.notes, testing::Contains(testing::ContainsRegex("damaged|cut off")));
    for (std::size_t i = 0; i < contents.clouds.size(); ++i)
      EXPECT_EQ(contents.clouds[i], cloud_of(static_cast<int>(contents.times[i])));
  }
  EXPECT_GE(most, 5U);
}

INSTANTIATE_TEST_SUITE_P(Bag, EveryBag, testing::ValuesIn(kKinds));

TEST(Bag, SplitBagsAreMergedInTime) {
  const TemporaryFolder folder;
  write_bag(folder / "a", kKinds[1]);
  write_bag(folder / "b", kKinds[2], "/points", 5);
  fs::create_directory(folder / "split");
  fs::rename(only_file(folder / "a"), folder / "split" / "split_0.mcap");
  fs::rename(only_file(folder / "b"), folder / "split" / "split_1.mcap");
  const Contents contents = read(folder / "split");
  EXPECT_EQ(contents.times.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(contents.times));
  EXPECT_EQ(inspect_bag(folder / "split").contents.topics[0].messages, 20U);
}

TEST(Bag, AFileThatMetadataNamesButIsMissingIsReported) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", kKinds[0]);
  std::string text = read_all(folder / "bag" / "metadata.yaml");
  text.replace(text.find("    - bag_0.mcap"), 4, "    - bag_1.mcap\n    ");
  folder.write("bag/metadata.yaml", text);
  const Contents contents = read(folder / "bag");
  EXPECT_EQ(contents.times.size(), 10U);
  EXPECT_THAT(contents.notes, ElementsAre(HasSubstr("the file bag_1.mcap is missing")));
}

TEST(Bag, SeveralTopicsNeedAChoice) {
  const TemporaryFolder folder;
  {
    BagWriter writer(folder / "bag");
    writer.write("/left", kStart, from_cloud(cloud_of(0), "map", 0));
    writer.write("/right", kStart + 1, from_cloud(cloud_of(1), "map", 0));
    writer.close();
  }
  expect_input_error([&] { read(folder / "bag"); },
                     "several PointCloud2 topics, choose one: /left");
  EXPECT_THAT(read(folder / "bag", "/right").times, ElementsAre(1));
  expect_input_error([&] { read(folder / "bag", "/up"); }, "has no PointCloud2 topic '/up'");
}

TEST(Bag, OtherTypesAreWrittenAndListedButAreNoClouds) {
  const TemporaryFolder folder;
  {
    BagWriter writer(folder / "bag");
    CdrWriter text;
    text.write_string("hello");
    writer.write("/chatter", {"std_msgs/msg/String", "string data\n", ""}, kStart, text.take());
    writer.close();
  }
  expect_input_error([&] { read(folder / "bag"); }, "it has /chatter (std_msgs/msg/String)");
}

TEST(Bag, BrokenMessagesAreSkippedAndCounted) {
  const TemporaryFolder folder;
  {
    BagWriter writer(folder / "bag");
    writer.write("/points", kStart, from_cloud(cloud_of(0), "map", 0));
    writer.write("/points", point_cloud2_type(), kStart + 1, std::vector<std::byte>(10));
    writer.close();
  }
  const Contents contents = read(folder / "bag");
  EXPECT_THAT(contents.times, ElementsAre(0));
  EXPECT_THAT(contents.notes, ElementsAre(HasSubstr("1 messages of /points were skipped")));
}

TEST(Bag, RefusesWhatItCantRead) {
  const TemporaryFolder folder;
  const std::string ros1 = "#ROSBAG V2.0\nstuff";
  expect_input_error([&] { read(folder.write("a.bag", ros1)); }, "is a ROS 1 bag");
  expect_input_error([&] { read(folder.write("a.mcap", ros1)); }, "is a ROS 1 bag");
  expect_input_error([&] { read(folder.write("a.db3", ros1)); }, "is a ROS 1 bag");
  expect_input_error([&] { read(folder.write("b.mcap", "")); }, "is not an MCAP file");
  expect_input_error([&] { read(folder.write("b.db3", std::string(4096, 'x'))); },
                     "or an encrypted one");
  expect_input_error([&] { read(folder.write("c.txt", "")); }, "is no bag");
  expect_input_error([&] { read(folder / "none"); }, "there is no such file");
  fs::create_directory(folder / "empty");
  expect_input_error([&] { read(folder / "empty"); }, "is no rosbag2");
  write_bag(folder / "bag", kKinds[0]);
  std::string text = read_all(folder / "bag" / "metadata.yaml");
  text.replace(text.find("compression_format: \"\""), 22, "compression_format: aes256");
  text.replace(text.find("compression_mode: \"\""), 20, "compression_mode: FILE");
  folder.write("bag/metadata.yaml", text);
  expect_input_error([&] { read(folder / "bag"); }, "compressed or encrypted with 'aes256'");
}

TEST(Bag, AWrongChecksumCostsOnlyItsChunk) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", kKinds[0]);
  const fs::path file = only_file(folder / "bag");
  std::string content = read_all(file);
  content[content.size() / 2] ^= 1;
  folder.write("damaged.mcap", content);
  const Contents contents = read(folder / "damaged.mcap");
  EXPECT_GE(contents.times.size(), 5U);
  EXPECT_LT(contents.times.size(), 10U);
  EXPECT_THAT(contents.notes, testing::Contains(HasSubstr("wrong checksum")));
}

TEST(BagWriter, LeavesNothingWithoutClose) {
  const TemporaryFolder folder;
  for (const Kind& kind : kKinds) {
    BagWriter writer(folder / "bag", {kind.storage, kind.compression});
    writer.write("/points", kStart, from_cloud(cloud_of(0), "map", 0));
    EXPECT_FALSE(fs::exists(folder / "bag"));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(BagWriter, NeverOverwrites) {
  const TemporaryFolder folder;
  write_bag(folder / "bag", kKinds[0]);
  expect_input_error([&] { BagWriter(folder / "bag"); }, "exists already");
  expect_input_error(
      [&] {
        BagWriter(folder / "b", {BagStorageKind::kSqlite3, BagCompression::kLz4});
      },
      "not with lz4");
}

TEST(Compression, StopsAtItsLimitWhateverTheDataClaim) {
  const std::vector<std::byte> zeros(std::size_t{1} << 24);
  const auto zstd = zstd_decompress(zstd_compress(zeros), 1000);
  EXPECT_FALSE(zstd.complete);
  EXPECT_LE(zstd.bytes.capacity(), 100000U);
  const auto lz4 = lz4_decompress(lz4_compress(zeros), 1000);
  EXPECT_FALSE(lz4.complete);
  EXPECT_LE(lz4.bytes.capacity(), 100000U);
  EXPECT_TRUE(zstd_decompress(zstd_compress(zeros), zeros.size()).complete);
  EXPECT_EQ(lz4_decompress(lz4_compress(zeros), zeros.size()).bytes, zeros);
}

}  // namespace
}  // namespace pointpng
