#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pointpng/io/bag_storage.h"
#include "pointpng/io/point_cloud2.h"

namespace pointpng {

/// What `pointpng bag info` shows.
struct BagInfo {
  std::string storage;      ///< "mcap" or "sqlite3"
  std::string compression;  ///< rosbag2's own: "", "zstd file" or "zstd message"
  std::vector<std::filesystem::path> files;
  BagContents contents;
  std::vector<std::string> warnings;  ///< damage, and how far the bag can be read
};

/// True for a .mcap, .db3 or ROS 1 .bag file (also .zstd of the former), or a folder with such a
/// file.
bool is_bag(const std::filesystem::path& path);

BagInfo inspect_bag(const std::filesystem::path& path);

/// Reads the messages of a rosbag2 (a folder, with or without metadata.yaml, or one of its files)
/// in the order in which they were received.
class BagReader {
 public:
  explicit BagReader(const std::filesystem::path& path);
  ~BagReader();
  BagReader(const BagReader&) = delete;
  BagReader& operator=(const BagReader&) = delete;

  /// Restricts what `next` reads to these topics. Call it before `next`.
  void select(const std::vector<std::string>& topics);
  bool next(BagMessage& message);
  /// With the warnings so far: damage inside a chunk shows up only while reading.
  BagInfo info() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A point cloud out of a bag.
struct CloudMessage {
  std::string topic;
  std::int64_t receive_ns = 0;
  PointCloud2 cloud;
};

/// Calls `on_cloud` for every PointCloud2 of `topic`, or of the only such topic where it is empty,
/// until it returns false. Warnings, and messages that had to be skipped, go to `notes`.
void read_clouds(const std::filesystem::path& path, const std::string& topic,
                 const std::function<bool(const CloudMessage&)>& on_cloud,
                 std::vector<std::string>* notes = nullptr);

}  // namespace pointpng
