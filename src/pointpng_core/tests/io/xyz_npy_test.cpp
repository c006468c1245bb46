// Plain text and NumPy arrays.

#include <cmath>

#include "io/scalar.h"
#include "io/test_files.h"

namespace pointpng {
namespace {

const Cloud kTwo = make_cloud({{1, 2, 3}, {4, 5, 6}});

TEST(Xyz, ReadsTheDialectsInUse) {
  for (const std::string text :
       {"1 2 3\n4 5 6\n", "1,2,3\r\n4,5,6", "# c\n\n1\t2\t3 0.5 255\n// d\n+4 5e0 6.0 0.5 255\n",
        "x,y,z,intensity\n1,2,3,9\n4,5,6,9\n", "2\n1 2 3\n4 5 6\n", "1;2;3\n4;5;6\n"})
    EXPECT_EQ(parse("a.xyz", text).vertices, kTwo) << text;
}

TEST(Xyz, RefusesBrokenFiles) {
  expect_refused("a.xyz", "", "is empty");
  expect_refused("a.xyz", "# nothing\n", "has no lines with three numbers");
  expect_refused("a.txt", "1 2 3\n4 5\n", "line 2 does not start with three numbers");
  expect_refused("a.csv", "1 2 3\n4 5 six\n", "line 2 does not start");
  expect_refused("a.txt", "data/a.h5\n", "line 1 does not start");
  expect_refused("a.xyz", "nan nan nan\n", "all 1 points are NaN");
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& body,
                bool fortran = false, int version = 1) {
  const std::string dictionary = "{'descr': '" + descr +
                                 "', 'fortran_order': " + (fortran ? "True" : "False") +
                                 ", 'shape': " + shape + ", }\n";
  std::string out = "\x93NUMPY" + std::string(1, static_cast<char>(version)) + std::string(1, '\0');
  out += version == 1 ? raw(static_cast<std::uint16_t>(dictionary.size()))
                      : raw(static_cast<std::uint32_t>(dictionary.size()));
  return out + dictionary + body;
}

TEST(Npy, ReadsAllVersionsAndOrders) {
  const std::string rows = raw(1.F, 2.F, 3.F, 4.F, 5.F, 6.F);
  const std::string columns = raw(1.F, 4.F, 2.F, 5.F, 3.F, 6.F);
  for (int version = 1; version <= 3; ++version) {
    EXPECT_EQ(parse("a.npy", npy("<f4", "(2, 3)", rows, false, version)).vertices, kTwo);
    EXPECT_EQ(parse("a.npy", npy("<f4", "(2, 3)", columns, true, version)).vertices, kTwo);
  }
}

TEST(Npy, ReadsTypesAndWiderArrays) {
  EXPECT_EQ(parse("a.npy", npy("<f8", "(1, 4)", raw(1.0, 2.0, 3.0, 9.0))).vertices,
            make_cloud({{1, 2, 3}}));
  EXPECT_EQ(parse("a.npy", npy(">f4", "(1, 3)", raw_big(1.F, 2.F, 3.F))).vertices,
            make_cloud({{1, 2, 3}}));
  EXPECT_EQ(
      parse("a.npy", npy("<f2", "(1, 3)",
                         raw(std::uint16_t{0x3C00}, std::uint16_t{0xC000}, std::uint16_t{0x3800})))
          .vertices,
      make_cloud({{1, -2, 0.5F}}));
  EXPECT_EQ(parse("a.npy", npy("<i4", "(1, 3)", raw(1, -2, 3))).vertices, make_cloud({{1, -2, 3}}));
}

TEST(Npy, HalvesKeepTheirSpecialValues) {
  EXPECT_EQ(half_to_float(0x7C00), INFINITY);
  EXPECT_TRUE(std::isnan(half_to_float(0x7E00)));
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.F, -24));
  EXPECT_EQ(half_to_float(0x7BFF), 65504.F);
}

TEST(Npy, RefusesBrokenFiles) {
  expect_refused("a.npy", "", "is empty");
  expect_refused("a.npy", "PK\x03\x04 and more of it", "is not an NPY file");
  expect_refused("a.npy", npy("<f4", "(2, 3)", "", false, 4), "NPY version 4");
  expect_refused("a.npy", npy("<f4", "(1000000000, 3)", raw(1.F)),
                 "promises 1000000000 x 3 numbers");
  expect_refused("a.npy", npy("<f4", "(3, 4000000000000000000)", raw(1.F)), "promises 3 x");
  expect_refused("a.npy", npy("<f4", "(2, 3)", raw(1.F, 2.F, 3.F)), "only 12 bytes follow");
  expect_refused("a.npy", npy("<f4", "(-2, 3)", ""), "'-2' in its shape");
  expect_refused("a.npy", npy("<f4", "(6,)", raw(1.F)), "is not N x 3");
  expect_refused("a.npy", npy("<f4", "(3, 2)", raw(1.F)), "is not N x 3");
  expect_refused("a.npy", npy("|O", "(2, 3)", ""), "floats or integers are needed");
  expect_refused("a.npy", npy("<f4", "(2, 3)", "").substr(0, 40), "it is cut off");
  expect_refused("a.npy", npy("<f4", "(0, 3)", ""), "has no points");
}

}  // namespace
}  // namespace pointpng
