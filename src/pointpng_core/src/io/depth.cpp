#include "io/depth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/LU>
#include <fmt/format.h>

#include "io/depth_png.h"
#include "io/text.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDepthSuffix = ".depth.png";
constexpr const char* kIntrinsicsName = "camera-intrinsics.txt";

std::vector<double> read_numbers(const fs::path& path, std::size_t count, const char* what) {
  const std::string text = read_file(path);
  TextScanner scanner(text);
  std::vector<double> numbers;
  while (auto token = scanner.token()) {
    const auto value = parse_number(*token);
    if (!value || !std::isfinite(*value))
      throw InputError(
          fmt::format("{}: '{}' is no number in {}", path.string(), token->substr(0, 40), what));
    numbers.push_back(*value);
    if (numbers.size() > count) break;
  }
  if (numbers.size() != count)
    throw InputError(
        fmt::format("{}: does not hold the {} numbers of {}", path.string(), count, what));
  return numbers;
}

fs::path find_intrinsics(const fs::path& folder) {
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  const fs::path inside = folder / kIntrinsicsName;
  // A trailing slash leaves an empty last component, whose parent is the folder itself.
  const fs::path above =
      (absolute.has_filename() ? absolute : absolute.parent_path()).parent_path() / kIntrinsicsName;
  if (fs::is_regular_file(inside)) return inside;
  if (fs::is_regular_file(above)) return above;
  throw InputError(
      fmt::format("{}: has depth images but no {} (fx 0 cx / 0 fy cy / 0 0 1); put one "
                  "there",
                  folder.string(), kIntrinsicsName));
}

}  // namespace

std::vector<std::string> list_depth_frames(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kDepthSuffix))
      names.push_back(file.substr(0, file.size() - kDepthSuffix.size()));
  }
  std::ranges::sort(names);
  return names;
}

bool is_depth_folder(const fs::path& folder) {
  return fs::is_directory(folder) && !list_depth_frames(folder).empty();
}

Intrinsics load_intrinsics(const fs::path& path) {
  const auto k = read_numbers(path, 9, "a 3 x 3 camera matrix");
  if (!(k[0] > 0) || !(k[4] > 0))
    throw InputError(
        fmt::format("{}: has focal lengths of {} and {} pixels", path.string(), k[0], k[4]));
  return {k[0], k[4], k[2], k[5]};
}

Eigen::Matrix4d load_pose(const fs::path& path) {
  const auto numbers = read_numbers(path, 16, "a 4 x 4 camera-to-world pose");
  const Eigen::Matrix4d pose =
      Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(numbers.data());
  const Eigen::Matrix3d rotation = pose.topLeftCorner<3, 3>();
  const double error = (rotation * rotation.transpose() - Eigen::Matrix3d::Identity()).norm();
  const double last_row = (pose.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).norm();
  // Trackers write about five digits.
  if (error > 1e-2 || rotation.determinant() < 0 || last_row > 1e-6)
    throw InputError(fmt::format("{}: is not a rigid camera-to-world pose", path.string()));
  return pose;
}

Cloud load_depth_png(const fs::path& path, const Intrinsics& camera) {
  const DepthImage image = read_depth_png(path);
  constexpr std::uint16_t kInvalid = 65535;
  const auto is_valid = [](std::uint16_t depth) { return depth != 0 && depth != kInvalid; };
  Cloud points(std::ranges::count_if(image.millimetres, is_valid), 3);
  Eigen::Index row = 0;
  for (std::uint32_t v = 0; v < image.height; ++v) {
    for (std::uint32_t u = 0; u < image.width; ++u) {
      const std::uint16_t depth = image.millimetres[std::size_t{v} * image.width + u];
      if (!is_valid(depth)) continue;
      const double z = depth * 1e-3;
      points.row(row++) << static_cast<float>((u - camera.cx) / camera.fx * z),
          static_cast<float>((v - camera.cy) / camera.fy * z), static_cast<float>(z);
    }
  }
  if (row == 0) throw InputError(path.string() + ": has no valid depth");
  return points;
}

DepthFrame load_depth_frame(const fs::path& folder, const std::string& name) {
  const Intrinsics camera = load_intrinsics(find_intrinsics(folder));
  DepthFrame frame;
  frame.name = name;
  frame.points = load_depth_png(folder / (name + std::string(kDepthSuffix)), camera);
  frame.world_from_camera = load_pose(folder / (name + ".pose.txt"));
  return frame;
}

}  // namespace pointpng
