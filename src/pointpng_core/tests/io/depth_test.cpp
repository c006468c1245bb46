#include "io/depth.h"

#include <png.h>

#include "io/test_files.h"

namespace pointpng {
namespace {

/// Row by row.
void write_png(const std::filesystem::path& path, std::uint32_t width, std::uint32_t height,
               std::uint32_t format, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  // "Linear" is libpng's word for 16 bits; fast skips nothing that matters here.
  ASSERT_TRUE(png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr));
}

const std::string kIntrinsics = "2 0 1\n0 4 0.5\n0 0 1\n";
const std::string kPose = "0 -1 0 1\n1 0 0 2\n0 0 1 3\n0 0 0 1\n";

struct Scene {
  TemporaryFolder folder;
  Scene() {
    const std::uint16_t pixels[6] = {1000, 0, 2000, 65535, 500, 0};
    write_png(folder / "frame-000000.depth.png", 3, 2, PNG_FORMAT_LINEAR_Y, pixels);
    folder.write("frame-000000.pose.txt", kPose);
    folder.write("camera-intrinsics.txt", kIntrinsics);
  }
};

TEST(Depth, ValidPixelsBecomePointsInMetres) {
  const Scene scene;
  const DepthFrame frame = load_depth_frame(scene.folder.path(), "frame-000000");
  // z = depth / 1000, x = (u - cx) / fx * z, y = (v - cy) / fy * z
  EXPECT_TRUE(
      frame.points.isApprox(make_cloud({{-0.5F, -0.125F, 1}, {1, -0.25F, 2}, {0, 0.0625F, 0.5F}})));
  EXPECT_EQ(frame.world_from_camera(0, 1), -1);
  EXPECT_EQ(frame.world_from_camera(2, 3), 3);
}

TEST(Depth, ListsFramesInOrder) {
  const Scene scene;
  scene.folder.write("frame-000010.depth.png", "");
  scene.folder.write("frame-000002.depth.png", "");
  EXPECT_TRUE(is_depth_folder(scene.folder.path()));
  EXPECT_THAT(list_depth_frames(scene.folder.path()),
              testing::ElementsAre("frame-000000", "frame-000002", "frame-000010"));
}

TEST(Depth, IntrinsicsMayBeInTheFolderAbove) {
  const Scene scene;
  std::filesystem::create_directory(scene.folder / "seq-01");
  for (const char* name : {"frame-000000.depth.png", "frame-000000.pose.txt"})
    std::filesystem::rename(scene.folder / name, scene.folder / "seq-01" / name);
  EXPECT_EQ(load_depth_frame(scene.folder / "seq-01", "frame-000000").points.rows(), 3);
  EXPECT_EQ(load_depth_frame(scene.folder / "seq-01/", "frame-000000").points.rows(), 3);
  std::filesystem::remove(scene.folder / "camera-intrinsics.txt");
  expect_input_error([&] { load_depth_frame(scene.folder / "seq-01", "frame-000000"); },
                     "no camera-intrinsics.txt");
}

TEST(Depth, RefusesBrokenPosesAndIntrinsics) {
  const TemporaryFolder folder;
  expect_input_error([&] { load_pose(folder.write("p.txt", "1 2 3")); },
                     "does not hold the 16 numbers");
  expect_input_error([&] { load_pose(folder.write("p.txt", kPose + "5")); },
                     "does not hold the 16 numbers");
  expect_input_error([&] { load_pose(folder.write("p.txt", "-1.#IND " + kPose)); }, "is no number");
  expect_input_error([&] { load_pose(folder.write("p.txt", "2 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1")); },
                     "is not a rigid");
  expect_input_error([&] { load_intrinsics(folder.write("i.txt", "0 0 0 0 0 0 0 0 1")); },
                     "focal lengths");
}

TEST(Depth, RefusesBrokenImages) {
  const Scene scene;
  const Intrinsics camera{1, 1, 0, 0};
  const auto path = scene.folder / "frame-000000.depth.png";
  const std::string whole = read_all(path);
  const auto refuse = [&](const std::string& content, const std::string& words) {
    expect_input_error([&] { load_depth_png(scene.folder.write("x.png", content), camera); },
                       words);
  };
  refuse("", "is no readable PNG");
  refuse("not an image", "is no readable PNG");
  refuse(whole.substr(0, whole.size() - 30), "cut off");
  std::string huge = whole;
  huge.replace(16, 8,
               std::string("\x00\x0F\x42\x40\x00\x0F\x42\x40", 8));  // 10^6 x 10^6, wrong CRC
  refuse(huge, "");
  const std::uint8_t grey[4] = {1, 2, 3, 4};
  write_png(scene.folder / "grey.png", 2, 2, PNG_FORMAT_GRAY, grey);
  expect_input_error([&] { load_depth_png(scene.folder / "grey.png", camera); },
                     "is not a depth image");
  const std::uint16_t nothing[2] = {0, 65535};
  write_png(scene.folder / "none.png", 2, 1, PNG_FORMAT_LINEAR_Y, nothing);
  expect_input_error([&] { load_depth_png(scene.folder / "none.png", camera); }, "no valid depth");
}

}  // namespace
}  // namespace pointpng
