#include "eval/scene_pairs.h"

#include <cmath>
#include <fstream>
#include <png.h>

#include <gtest/gtest.h>

#include "base/rows.h"
#include "base/temporary_folder.h"
#include "eval/distances.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr int kWidth = 96, kHeight = 72;
constexpr double kFocal = 80.0;

void write_depth_png(const std::filesystem::path& path, const std::vector<std::uint16_t>& depth) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = kWidth;
  image.height = kHeight;
  image.format = PNG_FORMAT_LINEAR_Y;
  ASSERT_TRUE(png_image_write_to_file(&image, path.c_str(), 0, depth.data(), 0, nullptr));
}

/// What a camera at (x, 0, 0), looking along z, sees of a wavy wall 2 m away.
void write_frame(const std::filesystem::path& folder, int index, double x) {
  std::vector<std::uint16_t> depth;
  for (int v = 0; v < kHeight; ++v)
    for (int u = 0; u < kWidth; ++u) {
      double z = 2.0;  // fixed point: the ray meets the wall
      for (int i = 0; i < 50; ++i)
        z = 2.0 + 0.15 * std::sin(3.0 * (x + (u - kWidth / 2) / kFocal * z)) *
                      std::cos(2.0 * (v - kHeight / 2) / kFocal * z);
      depth.push_back(static_cast<std::uint16_t>(std::lround(1000.0 * z)));
    }
  const std::string name = "frame-00000" + std::to_string(index);
  write_depth_png(folder / (name + ".depth.png"), depth);
  std::ofstream(folder / (name + ".pose.txt")) << "1 0 0 " << x << "\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
}

class ScenePairsTest : public testing::Test {
 protected:
  /// Frames at these places along the wall.
  std::filesystem::path frames(const std::vector<double>& places) {
    const std::filesystem::path folder = root_ / "scene";
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "camera-intrinsics.txt")
        << kFocal << " 0 " << kWidth / 2 << "\n0 " << kFocal << " " << kHeight / 2 << "\n0 0 1\n";
    for (std::size_t i = 0; i < places.size(); ++i)
      write_frame(folder, static_cast<int>(i), places[i]);
    return folder;
  }

  TemporaryFolder root_;
};

TEST_F(ScenePairsTest, TheTruthPutsOneFrameOntoTheOther) {
  ScenePairsConfig config;
  config.points = 3000;
  const auto pairs = make_scene_pairs(frames({0.0, 0.3, 0.6}), 4, 1, nullptr, config);
  ASSERT_EQ(pairs.size(), 4U);
  for (const PosePair& pair : pairs) {
    EXPECT_EQ(pair.source.rows(), 3000);
    const Cloud there = transformed(pair.source, pair.target_from_source);
    const Eigen::VectorXf distances = nearest_distances(there, pair.target);
    const auto near = (distances.array() < 0.05F).count();
    EXPECT_GT(static_cast<double>(near), 0.5 * 3000);
    EXPECT_GT(Eigen::AngleAxisd(pair.target_from_source.linear()).angle(), 0.01);
  }
}

TEST_F(ScenePairsTest, FramesThatSeeDifferentThingsAreNoPair) {
  std::vector<std::string> notes;
  const auto pairs = make_scene_pairs(frames({0.0, 0.4, 9.0}), 10, 1, &notes);
  EXPECT_EQ(pairs.size(), 2U);  // the first two, in both directions
  for (const PosePair& pair : pairs) EXPECT_EQ(pair.name.find("frame-000002"), std::string::npos);
  EXPECT_EQ(notes.size(), 1U);
}

TEST_F(ScenePairsTest, ASeedGivesTheSamePairsHoweverManyThereAre) {
  const std::filesystem::path folder = frames({0.0, 0.3, 0.6});
  const auto few = make_scene_pairs(folder, 2, 5), many = make_scene_pairs(folder, 4, 5);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].source, many[i].source);
    EXPECT_EQ(few[i].name, many[i].name);
    EXPECT_TRUE(few[i].target_from_source.isApprox(many[i].target_from_source, 0.0));
  }
}

TEST_F(ScenePairsTest, WhatHasNoPairsIsRefused) {
  EXPECT_THROW(make_scene_pairs(root_ / "nothing", 1, 1), InputError);
  EXPECT_THROW(make_scene_pairs(frames({0.0, 9.0}), 1, 1), InputError);
}

}  // namespace
}  // namespace pointpng
