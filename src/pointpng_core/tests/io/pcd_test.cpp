#include "io/pcd.h"

#include "io/lzf.h"
#include "io/test_files.h"

namespace pointpng {
namespace {

std::string header(const std::string& fields, const std::string& sizes, const std::string& types,
                   const std::string& counts, int points, const std::string& data) {
  const std::string n = std::to_string(points);
  return "# .PCD v0.7\nVERSION 0.7\nFIELDS " + fields + "\nSIZE " + sizes + "\nTYPE " + types +
         "\nCOUNT " + counts + "\nWIDTH " + n + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + n +
         "\nDATA " + data + "\n";
}

std::string xyz(int points, const std::string& data) {
  return header("x y z", "4 4 4", "F F F", "1 1 1", points, data);
}

/// Literals only: valid LZF that needs no compressor.
std::string lzf_literals(const std::string& content) {
  std::string out;
  for (std::size_t i = 0; i < content.size(); i += 32) {
    const std::string run = content.substr(i, 32);
    out += static_cast<char>(run.size() - 1);
    out += run;
  }
  return out;
}

TEST(Pcd, ReadsText) {
  const Mesh mesh =
      parse("a.pcd", header("rgb x normal y z", "4 4 4 4 4", "F F F F F", "1 1 3 1 1", 2, "ascii") +
                         "7 1 0 0 1 2 3\n7 4 0 0 1 5 6\n");
  EXPECT_EQ(mesh.vertices, make_cloud({{1, 2, 3}, {4, 5, 6}}));
}

TEST(Pcd, ReadsBinaryWithPaddingAndMixedTypes) {
  const Mesh mesh = parse("a.pcd", header("z _ x y", "8 1 4 2", "F U F I", "1 3 1 1", 1, "binary") +
                                       raw(3.0, std::uint8_t{1}, std::uint8_t{1}, std::uint8_t{1},
                                           1.F, std::int16_t{-2}));
  EXPECT_EQ(mesh.vertices, make_cloud({{1, -2, 3}}));
}

TEST(Pcd, ReadsCompressed) {
  const std::string columns = raw(1.F, 4.F, 2.F, 5.F, 3.F, 6.F);
  const std::string packed = lzf_literals(columns);
  const Mesh mesh = parse("a.pcd", xyz(2, "binary_compressed") +
                                       raw(static_cast<std::uint32_t>(packed.size()),
                                           static_cast<std::uint32_t>(columns.size())) +
                                       packed);
  EXPECT_EQ(mesh.vertices, make_cloud({{1, 2, 3}, {4, 5, 6}}));
}

TEST(Pcd, LzfCopiesMayOverlapThemselves) {
  // One literal 'a', then "7 bytes from 1 back".
  const std::string in(
      "\x00"
      "a"
      "\xA0\x00",
      4);
  std::string out(8, '\0');
  ASSERT_TRUE(lzf_decompress(std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))));
  EXPECT_EQ(out, "aaaaaaaa");
}

TEST(Pcd, LzfRefusesCopiesFromBeforeTheStart) {
  const std::string in(
      "\x00"
      "a"
      "\xA0\x05",
      4);
  std::string out(8, '\0');
  EXPECT_FALSE(
      lzf_decompress(std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))));
}

TEST(Pcd, DropsNanPoints) {
  EXPECT_EQ(parse("a.pcd", xyz(2, "ascii") + "nan nan nan\n1 2 3\n").vertices,
            make_cloud({{1, 2, 3}}));
  expect_refused("a.pcd", xyz(2, "ascii") + "nan nan nan\ninf 0 0\n", "all 2 points are NaN");
}

TEST(Pcd, RefusesWhatIsNoPcd) {
  expect_refused("a.pcd", "", "is empty");
  expect_refused("a.pcd", "hello\n", "is not a PCD file");
  expect_refused("a.pcd", "VERSION 0.7\nFIELDS x y z\n", "no DATA line");
  expect_refused("a.pcd", xyz(1, "zipped"), "none of ascii, binary");
  expect_refused("a.pcd", header("x y", "4 4", "F F", "1 1", 1, "ascii") + "1 2\n", "no field 'z'");
  expect_refused("a.pcd",
                 header("x y z", "4 4 3", "F F F", "1 1 1", 1, "binary") + raw(1.F, 2.F, 3.F),
                 "has 3 bytes");
}

TEST(Pcd, RefusesCountsThatTheFileCantHold) {
  for (const std::string data : {"ascii", "binary", "binary_compressed"})
    expect_refused("a.pcd", xyz(1000000000, data) + raw(8U, 4000000000U, 1.F, 2.F), "");
  expect_refused("a.pcd", xyz(1000000000, "binary") + "1 2 3\n",
                 "promises 1000000000 points but only");
  expect_refused("a.pcd", xyz(-5, "ascii"), "'-5' as its WIDTH");
  expect_refused("a.pcd", "FIELDS x y z\nWIDTH 5\nHEIGHT 2\nPOINTS 3\nDATA ascii\n",
                 "3 points but 5 x 2");
}

TEST(Pcd, RefusesTruncatedAndGarbledBodies) {
  expect_refused("a.pcd", xyz(2, "ascii") + "1 2 3\n44444 5\n", "ends after 1 of 2 points");
  expect_refused("a.pcd", xyz(1, "ascii") + "1 two 3\n", "'two' stands where a coordinate");
  expect_refused("a.pcd", xyz(2, "binary") + raw(1.F, 2.F, 3.F), "only 12 bytes follow");
  expect_refused("a.pcd", xyz(1, "binary_compressed") + raw(50U, 12U), "it is cut off");
  expect_refused("a.pcd", xyz(1, "binary_compressed") + raw(4U, 12U, 0xFFFFFFFFU), "is damaged");
}

}  // namespace
}  // namespace pointpng
