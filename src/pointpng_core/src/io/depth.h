#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "pointpng/cloud.h"

namespace pointpng {

/// A pinhole camera, in pixels.
struct Intrinsics {
  double fx = 0, fy = 0, cx = 0, cy = 0;
};

/// One depth image of a sequence in the layout of 7-Scenes.
struct DepthFrame {
  Cloud points;  ///< metres, camera frame (x right, y down, z forward)
  Eigen::Matrix4d world_from_camera = Eigen::Matrix4d::Identity();
  std::string name;  ///< "frame-000000"
};

/// True for a folder with *.depth.png files.
bool is_depth_folder(const std::filesystem::path& folder);

/// Names of the frames in order: X for every X.depth.png.
std::vector<std::string> list_depth_frames(const std::filesystem::path& folder);

/// X.depth.png and X.pose.txt, with camera-intrinsics.txt of the folder or the one above it.
DepthFrame load_depth_frame(const std::filesystem::path& folder, const std::string& name);

/// Nine numbers, row by row.
Intrinsics load_intrinsics(const std::filesystem::path& path);

/// Sixteen numbers, row by row: a rigid transform, camera to world.
Eigen::Matrix4d load_pose(const std::filesystem::path& path);

/// The valid pixels of a 16-bit depth image in millimetres (0 and 65535 are invalid) as points.
Cloud load_depth_png(const std::filesystem::path& path, const Intrinsics& camera);

}  // namespace pointpng
