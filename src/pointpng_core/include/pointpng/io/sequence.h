#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pointpng/base/cloud.h"
#include "pointpng/io/load_options.h"

namespace pointpng {

/// One cloud of a recording. It may be empty: a sensor can see nothing.
struct SequenceFrame {
  double seconds = 0.0;  ///< of the header stamp; in a folder, the number of the file
  std::string name;
  Cloud points;  ///< finite ones
};

/// Calls `on_frame` for the clouds of a recording in order, until it returns false: the messages of
/// a rosbag2's PointCloud2 topic, the depth frames (7-Scenes) or the cloud files of a folder.
void read_sequence(const std::filesystem::path& path, const LoadOptions& options,
                   const std::function<bool(const SequenceFrame&)>& on_frame,
                   std::vector<std::string>* notes = nullptr);

}  // namespace pointpng
