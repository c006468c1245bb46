#include "io/hdf5.h"

#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using testing::ElementsAre;

TEST(Hdf5, WhatIsSavedIsLoaded) {
  const TemporaryFolder folder;
  const ShapeSet saved = procedural_shapes(12, 50, 1);
  save_hdf5(folder / "a.h5", saved);
  const ShapeSet loaded = load_hdf5(folder / "a.h5");
  EXPECT_EQ(loaded.class_names, saved.class_names);
  ASSERT_EQ(loaded.shapes.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(loaded.shapes[i].points, saved.shapes[i].points);
    EXPECT_EQ(loaded.shapes[i].label, saved.shapes[i].label);
    EXPECT_EQ(loaded.shapes[i].name, saved.shapes[i].name);
  }
}

TEST(Hdf5, RefusesShapesOfDifferentSizes) {
  const TemporaryFolder folder;
  ShapeSet set = procedural_shapes(2, 50, 1);
  set.shapes[1] = procedural_shape(1, 1, 51);
  expect_input_error([&] { save_hdf5(folder / "a.h5", set); }, "shapes of one size");
  expect_input_error([&] { save_hdf5(folder / "a.h5", {}); }, "no shapes to write");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
}

TEST(Hdf5, ClassesWithoutNamesAreNumbered) {
  const TemporaryFolder folder;
  ShapeSet set = procedural_shapes(2, 50, 1);
  set.class_names.clear();
  save_hdf5(folder / "a.h5", set);
  EXPECT_THAT(load_hdf5(folder / "a.h5").class_names, ElementsAre("class 0", "class 1"));
  folder.write("shape_names.txt", "armchair\ndesk\n");
  EXPECT_THAT(load_hdf5(folder / "a.h5").class_names, ElementsAre("armchair", "desk"));
}

TEST(Hdf5, RefusesLabelsWithoutAName) {
  const TemporaryFolder folder;
  ShapeSet set = procedural_shapes(2, 50, 1);
  set.class_names = {"only one"};
  save_hdf5(folder / "a.h5", set);
  expect_input_error([&] { load_hdf5(folder / "a.h5"); }, "has label 1 but only 1 'shape_names'");
}

TEST(Hdf5, RefusesBrokenFilesWithoutAWordOnStderr) {
  const TemporaryFolder folder;
  save_hdf5(folder / "whole.h5", procedural_shapes(3, 50, 1));
  const std::string whole = read_all(folder / "whole.h5");
  testing::internal::CaptureStderr();
  expect_input_error([&] { load_hdf5(folder.write("a.h5", "")); }, "is not an HDF5 file");
  expect_input_error([&] { load_hdf5(folder.write("b.h5", "text, not HDF5")); },
                     "is not an HDF5 file");
  expect_input_error([&] { load_hdf5(folder.write("c.h5", whole.substr(0, whole.size() / 2))); },
                     "a damaged one");
  expect_input_error([&] { load_hdf5(folder / "none.h5"); }, "can't read");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Hdf5, ListsNameFilesBesideThemOrFromAbove) {
  const TemporaryFolder folder;
  save_hdf5(folder / "train0.h5", procedural_shapes(1, 50, 1));
  const auto list = folder.write("train_files.txt", "data/modelnet40/train0.h5\n\ntrain0.h5\n");
  EXPECT_TRUE(is_hdf5_list(list));
  EXPECT_THAT(read_hdf5_list(list), ElementsAre(folder / "train0.h5", folder / "train0.h5"));
  expect_input_error([&] { read_hdf5_list(folder.write("b.txt", "missing.h5\n")); },
                     "lists 'missing.h5'");
  EXPECT_FALSE(is_hdf5_list(folder.write("c.txt", "1 2 3\n")));
}

}  // namespace
}  // namespace pointpng
