#include <cmath>
#include <limits>

#include "io/cdr.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const Cloud kTwo = make_cloud({{1, 2, 3}, {4, 5, 6}});

void set_data(PointCloud2& message, const std::string& content) {
  const auto bytes = std::as_bytes(std::span(content));
  message.data.assign(bytes.begin(), bytes.end());
}

/// Two points with other fields between, and rows with padding.
PointCloud2 odd_layout(bool big) {
  PointCloud2 message;
  message.height = 2;
  message.width = 1;
  message.fields = {{"z", 12, 7}, {"intensity", 0, 2}, {"x", 2, 4}, {"y", 4, 8}};
  message.point_step = 17;
  message.row_step = 20;
  message.is_bigendian = big;
  const auto point = [&](std::uint16_t x, double y, float z) {
    return big ? raw_big(std::uint8_t{9}, std::uint8_t{0}, x, y, z) + "p" + "row"
               : raw(std::uint8_t{9}, std::uint8_t{0}, x, y, z) + "p" + "row";
  };
  set_data(message, point(1, 2, 3) + point(4, 5, 6));
  return message;
}

TEST(PointCloud2, ACloudSurvivesTheRoundTrip) {
  EXPECT_EQ(to_cloud(from_cloud(kTwo, "map", 5)), kTwo);
}

TEST(PointCloud2, ReadsAnyLayoutTypeAndByteOrder) {
  EXPECT_EQ(to_cloud(odd_layout(false)), kTwo);
  EXPECT_EQ(to_cloud(odd_layout(true)), kTwo);
}

TEST(PointCloud2, DropsAndCountsNans) {
  std::size_t dropped = 0;
  const Cloud points = make_cloud({{1, 2, 3}, {kNan, kNan, kNan}, {4, 5, 6}, {0, INFINITY, 0}});
  EXPECT_EQ(to_cloud(from_cloud(points, "map", 0), &dropped), kTwo);
  EXPECT_EQ(dropped, 2U);
}

TEST(PointCloud2, AnEmptyMessageIsAnEmptyCloud) { EXPECT_EQ(to_cloud(PointCloud2{}).rows(), 0); }

TEST(PointCloud2, RefusesSizesThatContradictEachOther) {
  const auto refuse = [](auto change, const std::string& words) {
    PointCloud2 message = from_cloud(kTwo, "map", 0);
    change(message);
    expect_input_error([&] { to_cloud(message); }, words);
  };
  refuse([](auto& m) { m.width = 1000000000; }, "has rows of 24 bytes for 1000000000 points");
  refuse([](auto& m) { m.height = 4000000000U; }, "but has 24");
  refuse([](auto& m) { m.point_step = 0; }, "of points that have 0 bytes");
  refuse([](auto& m) { m.point_step = 4000000000U; }, "has rows of 24 bytes");
  refuse([](auto& m) { m.row_step = 12; }, "has rows of 12 bytes");
  refuse([](auto& m) { m.fields[2].offset = 9; }, "has 'z' at byte 9");
  refuse([](auto& m) { m.fields[2].offset = 4294967295U; }, "has 'z' at byte");
  refuse([](auto& m) { m.fields[0].datatype = 9; }, "unknown type 9");
  refuse([](auto& m) { m.fields[0].datatype = 0; }, "unknown type 0");
  refuse([](auto& m) { m.fields.pop_back(); }, "has no field 'z'");
  refuse([](auto& m) { m.data.pop_back(); }, "but has 23");
}

TEST(Cdr, AMessageSurvivesBothByteOrders) {
  PointCloud2 message = odd_layout(true);
  message.frame_id = "os_sensor";
  message.is_dense = true;
  for (const std::int64_t stamp : {1'700'000'000'123'456'789LL, -1LL, 0LL}) {
    message.stamp_ns = stamp;
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      const PointCloud2 back = decode_point_cloud2(encode_point_cloud2(message, order));
      EXPECT_EQ(back.stamp_ns, stamp);
      EXPECT_EQ(back.frame_id, "os_sensor");
      ASSERT_EQ(back.fields.size(), 4U);
      EXPECT_EQ(back.fields[3].name, "y");
      EXPECT_EQ(back.data, message.data);
      EXPECT_TRUE(back.is_bigendian && back.is_dense);
      EXPECT_EQ(to_cloud(back), kTwo);
    }
  }
}

TEST(Cdr, ValuesAreAlignedFromBehindTheHeader) {
  CdrWriter out;
  out.write(std::uint8_t{1});
  out.write(2.0);
  EXPECT_EQ(out.take().size(), 4U + 8 + 8);
}

TEST(Cdr, RefusesShortMessagesAtEveryLength) {
  const auto whole = encode_point_cloud2(from_cloud(kTwo, "map", 0));
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_input_error([&] { decode_point_cloud2(std::span(whole).first(size)); }, "ends early");
}

TEST(Cdr, RefusesOtherEncodings) {
  auto message = encode_point_cloud2(from_cloud(kTwo, "map", 0));
  message[1] = std::byte{3};
  expect_input_error([&] { decode_point_cloud2(message); }, "instead of plain CDR");
}

TEST(Cdr, RefusesLengthsThatTheMessageCantHold) {
  auto message = encode_point_cloud2(from_cloud(kTwo, "map", 0));
  message[12] = message[13] = message[14] = message[15] = std::byte{0xFF};  // length of frame_id
  expect_input_error([&] { decode_point_cloud2(message); }, "ends early");
}

}  // namespace
}  // namespace pointpng
