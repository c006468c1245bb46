#include <functional>
#include <utility>

#include "io/cloud_file.h"
#include "io/hdf5.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Cloud object(std::uint64_t index, Eigen::Index points = 100) {
  return procedural_shape(1, index, points).points;
}

void save(const std::filesystem::path& path, const Cloud& points) {
  std::filesystem::create_directories(path.parent_path());
  save_cloud(path, points);
}

TEST(Shapes, ProceduralByName) {
  LoadOptions options;
  options.mesh_points = 64;
  const ShapeSet set = load_shapes("procedural:12:5", options);
  ASSERT_EQ(set.shapes.size(), 12U);
  EXPECT_EQ(set.shapes[3].points, procedural_shape(5, 3, 64).points);
  for (const char* wrong :
       {"procedural:", "procedural:0", "procedural:x", "procedural:5:y", "procedural:-1"})
    expect_input_error([&] { load_shapes(wrong); }, "write procedural:COUNT");
}

TEST(Shapes, SubfoldersAreClasses) {
  const TemporaryFolder folder;
  save(folder / "chair/train/a.ply", object(0));
  save(folder / "mug/b.npy", object(4));
  save(folder / "mug/c.xyz", object(4));
  const ShapeSet set = load_shapes(folder.path().string());
  EXPECT_THAT(set.class_names, ElementsAre("chair", "mug"));
  ASSERT_EQ(set.shapes.size(), 3U);
  EXPECT_EQ(set.shapes[0].label, 0);
  EXPECT_EQ(set.shapes[2].label, 1);
  EXPECT_EQ(set.shapes[0].points, object(0));
}

TEST(Shapes, AFlatFolderHasNoClasses) {
  const TemporaryFolder folder;
  save(folder / "a.ply", object(0));
  const ShapeSet set = load_shapes(folder.path().string());
  EXPECT_TRUE(set.class_names.empty());
  EXPECT_EQ(set.shapes.at(0).label, -1);
}

TEST(Shapes, CollectionsSkipWhatTheyCantUse) {
  const TemporaryFolder folder;
  save(folder / "good.ply", object(0));
  save(folder / "few.ply", object(0, 7));
  folder.write("broken.pcd", "nonsense");
  Cloud equal = Cloud::Ones(100, 3);
  save(folder / "equal.npy", equal);
  std::vector<std::string> notes;
  EXPECT_EQ(load_shapes(folder.path().string(), {}, &notes).shapes.size(), 1U);
  EXPECT_THAT(notes, Contains(HasSubstr("few.ply: has fewer than 8 different finite points")));
  EXPECT_THAT(notes, Contains(HasSubstr("equal.npy: has fewer than 8 different finite points")));
  EXPECT_THAT(notes, Contains(HasSubstr("broken.pcd: is not a PCD file")));
}

TEST(Shapes, SingleFilesThatCantBeUsedAreRefused) {
  const TemporaryFolder folder;
  save(folder / "few.ply", object(0, 7));
  expect_input_error([&] { load_shapes((folder / "few.ply").string()); },
                     "few.ply: has fewer than 8");
  expect_input_error([&] { load_shapes((folder / "none.ply").string()); }, "there is no such file");
  expect_input_error([&] { load_shapes(folder.path().string()); },
                     "holds nothing that can be used");
  std::filesystem::create_directory(folder / "empty");
  expect_input_error([&] { load_shapes((folder / "empty").string()); }, "holds no clouds");
}

TEST(Shapes, Hdf5FilesAndListsOfThem) {
  const TemporaryFolder folder;
  save_hdf5(folder / "a.h5", procedural_shapes(10, 50, 1));
  save_hdf5(folder / "b.h5", procedural_shapes(10, 60, 2));
  EXPECT_EQ(load_shapes((folder / "a.h5").string()).shapes.size(), 10U);
  const auto list = folder.write("files.txt", "a.h5\nb.h5\n");
  const ShapeSet set = load_shapes(list.string());
  EXPECT_EQ(set.shapes.size(), 20U);
  EXPECT_EQ(set.class_names, procedural_families());
  EXPECT_EQ(set.shapes[13].label, 3);
}

TEST(Shapes, BagsGiveAShapeAMessage) {
  const TemporaryFolder folder;
  Cloud with_gaps = object(1, 300);
  with_gaps.topRows(100).setConstant(std::numeric_limits<float>::quiet_NaN());
  with_gaps.bottomRows(50).setZero();
  {
    BagWriter writer(folder / "bag");
    writer.write("/points", 1'000'000'005, from_cloud(object(0), "map", 0));
    writer.write("/points", 2'000'000'000, from_cloud(with_gaps, "map", 0));
    writer.write("/points", 3'000'000'000, from_cloud(Cloud(0, 3), "map", 0));
    writer.close();
  }
  std::vector<std::string> notes;
  const ShapeSet set = load_shapes((folder / "bag").string(), {}, &notes);
  ASSERT_EQ(set.shapes.size(), 2U);
  EXPECT_EQ(set.shapes[0].name, "/points at 1.000000005");
  EXPECT_EQ(set.shapes[1].points.rows(), 150);
  EXPECT_THAT(notes, Contains(HasSubstr("150 missing returns")));
  EXPECT_THAT(notes, Contains(HasSubstr("skipped /points at 3.000000000")));
}

TEST(Shapes, LargeCloudsAreThinnedOut) {
  const TemporaryFolder folder;
  save(folder / "a.ply", object(0, 500));
  LoadOptions options;
  options.max_points = 64;
  std::vector<std::string> notes;
  const ShapeSet set = load_shapes((folder / "a.ply").string(), options, &notes);
  EXPECT_EQ(set.shapes.at(0).points.rows(), 64);
  EXPECT_EQ(set.shapes[0].points,
            load_shapes((folder / "a.ply").string(), options).shapes[0].points);
  EXPECT_THAT(notes, Contains(HasSubstr("thinned out to 64 points")));
}

TEST(AppendShapes, ClassesOfTheSameNameAreOne) {
  const auto set_of = [](const std::string& first, const std::string& second) {
    ShapeSet set = procedural_shapes(2, 20, 1);
    set.class_names = {first, second};
    set.shapes[0].label = 0;
    set.shapes[1].label = 1;
    return set;
  };
  ShapeSet all = set_of("chair", "table");
  append_shapes(all, set_of("lamp", "chair"));
  EXPECT_THAT(all.class_names, ElementsAre("chair", "table", "lamp"));
  ASSERT_EQ(all.shapes.size(), 4U);
  EXPECT_EQ(all.shapes[2].label, 2);
  EXPECT_EQ(all.shapes[3].label, 0);
  ShapeSet unknown = set_of("a", "b");
  unknown.shapes[0].label = -1;
  append_shapes(all, unknown);
  EXPECT_EQ(all.shapes[4].label, -1);
}

TEST(Shapes, TheChecksumTellsAnyChange) {
  const ShapeSet set = procedural_shapes(4, 64, 1);
  const std::uint32_t sum = checksum_of(set);
  EXPECT_EQ(checksum_of(procedural_shapes(4, 64, 1)), sum);
  const auto after = [&](const std::function<void(ShapeSet&)>& change) {
    ShapeSet changed = set;
    change(changed);
    return checksum_of(changed);
  };
  EXPECT_NE(after([](ShapeSet& s) { s.shapes[2].points(5, 1) += 1e-6F; }), sum);
  EXPECT_NE(after([](ShapeSet& s) { s.shapes[1].label = 0; }), sum);
  EXPECT_NE(after([](ShapeSet& s) { std::swap(s.shapes[0], s.shapes[1]); }), sum);
  EXPECT_NE(after([](ShapeSet& s) { s.shapes.pop_back(); }), sum);
  EXPECT_NE(after([](ShapeSet& s) { s.shapes[0].points.row(0).swap(s.shapes[0].points.row(1)); }),
            sum);
}

}  // namespace
}  // namespace pointpng
