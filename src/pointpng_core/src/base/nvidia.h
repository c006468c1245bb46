#pragma once

#include <filesystem>

namespace pointpng {

/// Whether a driver for NVIDIA's GPUs is loaded: of a desktop, or of a Jetson.
inline bool has_nvidia_driver() {
  return std::filesystem::exists("/proc/driver/nvidia/version") ||
         std::filesystem::exists("/dev/nvhost-gpu");
}

}  // namespace pointpng
