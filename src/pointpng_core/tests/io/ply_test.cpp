#include <cmath>

#include "io/test_files.h"

namespace pointpng {
namespace {

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";

std::string header(const std::string& format, const std::string& elements) {
  return "ply\nformat " + format + " 1.0\ncomment made for a test\n" + elements + "end_header\n";
}

TEST(Ply, ReadsTextWithFaces) {
  const Mesh mesh = parse("a.ply", header("ascii", "element vertex 4\n" + kXyz +
                                                       "element face 1\nproperty list uchar int "
                                                       "vertex_indices\n") +
                                       "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n");
  EXPECT_EQ(mesh.vertices, make_cloud({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  ASSERT_EQ(mesh.triangles.rows(), 2);
  EXPECT_EQ(mesh.triangles.row(1), Eigen::RowVector3i(0, 2, 3));
}

TEST(Ply, ReadsBothByteOrders) {
  const std::string elements = "element vertex 2\n" + kXyz;
  const Cloud expected = make_cloud({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(
      parse("a.ply", header("binary_little_endian", elements) + raw(1.F, 2.F, 3.F, 4.F, 5.F, 6.F))
          .vertices,
      expected);
  EXPECT_EQ(
      parse("a.ply", header("binary_big_endian", elements) + raw_big(1.F, 2.F, 3.F, 4.F, 5.F, 6.F))
          .vertices,
      expected);
}

TEST(Ply, ReadsAnyOrderAndTypeOfProperties) {
  const std::string elements =
      "element vertex 1\nproperty uchar red\nproperty double z\nproperty short x\nproperty float "
      "y\n";
  const Mesh mesh = parse("a.ply", header("binary_little_endian", elements) +
                                       raw(std::uint8_t{9}, 3.5, std::int16_t{-1}, 2.F));
  EXPECT_EQ(mesh.vertices, make_cloud({{-1, 2, 3.5}}));
}

TEST(Ply, SkipsUnknownElementsAndLists) {
  const std::string elements =
      "element camera 1\nproperty list uchar float rays\nelement vertex 1\n" + kXyz +
      "property list uchar uchar tags\nelement edge 0\n";
  const Mesh mesh = parse(
      "a.ply", header("binary_little_endian", elements) +
                   raw(std::uint8_t{2}, 8.F, 9.F, 1.F, 2.F, 3.F, std::uint8_t{1}, std::uint8_t{7}));
  EXPECT_EQ(mesh.vertices, make_cloud({{1, 2, 3}}));
}

TEST(Ply, RefusesWhatIsNoPly) {
  expect_refused("a.ply", "", "is empty");
  expect_refused("a.ply", "solid cube\n", "is not a PLY file");
  expect_refused("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "no 'end_header'");
  expect_refused("a.ply", header("base64", ""), "is none of ascii");
  expect_refused("a.ply", header("ascii", ""), "no 'vertex' element");
  expect_refused("a.ply", header("ascii", "element vertex 1\nproperty float x\n") + "1\n",
                 "no 'y' property");
  expect_refused("a.ply", header("ascii", "element vertex 1\nproperty quad x\n"),
                 "unknown type 'quad'");
  expect_refused("a.ply", header("ascii", "element vertex 0\n" + kXyz), "has no points");
}

TEST(Ply, RefusesCountsThatTheFileCantHold) {
  for (const std::string format : {"ascii", "binary_little_endian"}) {
    expect_refused("a.ply", header(format, "element vertex 1000000000\n" + kXyz) + "1 2 3\n",
                   "promises 1000000000 'vertex' elements but only");
    expect_refused("a.ply", header(format, "element vertex 99999999999999999999\n" + kXyz),
                   "number of");
    expect_refused("a.ply", header(format, "element vertex -1\n" + kXyz), "'-1' as the number of");
  }
  expect_refused(
      "a.ply",
      header("binary_little_endian", "element face 1\nproperty list uint int vertex_indices\n") +
          raw(std::uint32_t{4000000000U}),
      "impossible length");
}

TEST(Ply, RefusesTruncatedAndGarbledBodies) {
  const std::string two = "element vertex 2\n" + kXyz;
  expect_refused("a.ply", header("ascii", two) + "1 2 3\n4 55555 \n", "it is cut off");
  expect_refused("a.ply", header("ascii", two) + "1 2 3\n4 five 6\n",
                 "'five' stands where a number");
  expect_refused("a.ply", header("binary_big_endian", two) + raw_big(1.F, 2.F, 3.F),
                 "only 12 bytes");
}

TEST(Ply, RefusesFacesWithImpossibleCorners) {
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string text = header("ascii", "element vertex 1\n" + kXyz + faces);
  expect_refused("a.ply", text + "0 0 0\n3 0 0 1\n", "has corner 1 of 1 vertices");
  expect_refused("a.ply", text + "0 0 0\n3 0 0 -1\n", "impossible corner");
}

}  // namespace
}  // namespace pointpng
