// OFF and OBJ.

#include "io/test_files.h"

namespace pointpng {
namespace {

const Cloud kTriangle = make_cloud({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});

TEST(Off, ReadsTheHeadersInUse) {
  const std::string body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  for (const std::string head :
       {"OFF\n3 1 0\n", "OFF 3 1 0\n", "OFF3 1 0\n", "# x\nOFF # y\n\n3 1 0\n"}) {
    const Mesh mesh = parse("a.off", head + body);
    EXPECT_EQ(mesh.vertices, kTriangle) << head;
    EXPECT_EQ(mesh.triangles.rows(), 1) << head;
  }
}

TEST(Off, IgnoresColoursAndNormals) {
  const Mesh mesh = parse(
      "a.off", "COFF\n3 1 0\n0 0 0 255 0 0 1\n1 0 0 255 0 0 1\n0 1 0 9 9 9 1\n3 0 1 2 200 0 0\n");
  EXPECT_EQ(mesh.vertices, kTriangle);
  EXPECT_EQ(mesh.triangles.rows(), 1);
}

TEST(Off, RefusesBrokenFiles) {
  expect_refused("a.off", "", "is empty");
  expect_refused("a.off", "ply\n", "is not an OFF file");
  expect_refused("a.off", "OFF BINARY\n", "binary OFF");
  expect_refused("a.off", "OFF\n-3 1 0\n", "'-3' as its number of vertices");
  expect_refused("a.off", "OFF\nmany 1 0\n", "'many' as its number of vertices");
  expect_refused("a.off", "OFF\n1000000000 1 0\n0 0 0\n", "promises 1000000000 vertices");
  expect_refused("a.off", "OFF\n3 1 0\n0 0 0.0000000\n1 0 0.00000000\n",
                 "ends after 2 of 3 vertices");
  expect_refused("a.off", "OFF\n1 2 0\n0 0 0.0000000\n0\n", "ends after 1 of 2 faces");
  expect_refused("a.off", "OFF\n1 0 0\n0 zero 0\n", "'zero' where a coordinate");
  expect_refused("a.off", "OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "none of its 1 vertices");
  expect_refused("a.off", "OFF\n1 1 0\n0 0 0\n900000000 0 0 0\n", "impossible number of corners");
  expect_refused("a.off", "OFF\n0 0 0\n", "has no points");
}

TEST(Obj, ReadsPolygonsAndAllKindsOfCorners) {
  const Mesh mesh =
      parse("a.obj",
            "# comment\nmtllib x.mtl\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
            "f 1 2 3 4\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf -4/1/1 -3/1/1 -1/1/1\n");
  EXPECT_EQ(mesh.vertices.rows(), 4);
  ASSERT_EQ(mesh.triangles.rows(), 5);
  EXPECT_EQ(mesh.triangles.row(4), Eigen::RowVector3i(0, 1, 3));
}

TEST(Obj, WithoutFacesIsACloud) {
  EXPECT_EQ(parse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n").vertices, kTriangle);
}

TEST(Obj, RefusesBrokenFiles) {
  expect_refused("a.obj", "", "is empty");
  expect_refused("a.obj", "OFF\n3 1 0\n", "has no vertices");
  expect_refused("a.obj", "v 1 2\n", "'' where a coordinate");
  expect_refused("a.obj", "v 1 two 3\n", "'two' where a coordinate");
  expect_refused("a.obj", "v 0 0 0\nf 1 1 2\n", "has corner 2 of 1 vertices");
  expect_refused("a.obj", "v 0 0 0\nf 1 1 -2\n", "impossible corner '-2'");
  expect_refused("a.obj", "v 0 0 0\nf 1 1 0\n", "'0' as a corner");
  expect_refused("a.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", "as a corner");
}

}  // namespace
}  // namespace pointpng
