#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace pointpng {

/// A depth image, row by row.
struct DepthImage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint16_t> millimetres;
};

/// A grey PNG of 16 bits. Throws `InputError` for everything else.
DepthImage read_depth_png(const std::filesystem::path& path);

}  // namespace pointpng
