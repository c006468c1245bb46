#include <algorithm>

#include <fmt/format.h>

#include "io/cloud_file.h"
#include "io/depth.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;
using OnFrame = std::function<bool(const SequenceFrame&)>;

void read_bag(const fs::path& path, const std::string& topic, const OnFrame& on_frame,
              std::vector<std::string>* notes) {
  std::int64_t number = 0;
  read_clouds(
      path, topic,
      [&](const CloudMessage& message) {
        const std::int64_t stamp =
            message.cloud.stamp_ns != 0 ? message.cloud.stamp_ns : message.receive_ns;
        return on_frame({1e-9 * static_cast<double>(stamp),
                         fmt::format("{} #{}", message.topic, number++), to_cloud(message.cloud)});
      },
      notes);
}

void read_depth_frames(const fs::path& folder, const OnFrame& on_frame) {
  double number = 0.0;
  for (const std::string& name : list_depth_frames(folder)) {
    if (!on_frame({number, name, load_depth_frame(folder, name).points})) return;
    number += 1.0;
  }
}

void read_cloud_files(const fs::path& folder, const LoadOptions& options, const OnFrame& on_frame,
                      std::vector<std::string>* notes) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_cloud_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw InputError(fmt::format(
        "{} has no clouds: a sequence is a rosbag2, a folder of depth frames or of cloud files",
        folder.string()));
  double number = 0.0;
  for (const fs::path& file : files) {
    if (!on_frame({number, file.filename().string(), load_cloud(file, options, notes)})) return;
    number += 1.0;
  }
}

}  // namespace

void read_sequence(const fs::path& path, const LoadOptions& options, const OnFrame& on_frame,
                   std::vector<std::string>* notes) {
  if (is_bag(path)) return read_bag(path, options.topic, on_frame, notes);
  if (!fs::exists(path)) throw InputError(fmt::format("{} does not exist", path.string()));
  if (!fs::is_directory(path))
    throw InputError(
        fmt::format("{} is no sequence: give a rosbag2, a folder of depth frames or of cloud files",
                    path.string()));
  if (is_depth_folder(path)) return read_depth_frames(path, on_frame);
  read_cloud_files(path, options, on_frame, notes);
}

}  // namespace pointpng
