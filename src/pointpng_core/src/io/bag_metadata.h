#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/bag_storage.h"

namespace pointpng {

/// rosbag2's metadata.yaml, as far as it matters here.
struct BagMetadata {
  std::string storage;             ///< storage_identifier: "mcap" or "sqlite3"
  std::string compression_format;  ///< "" or "zstd"
  std::string compression_mode;    ///< "", "file" or "message"
  std::vector<std::string> files;  ///< relative_file_paths
  std::uint64_t messages = 0;
};

/// Throws `InputError` where the file is not what rosbag2 writes.
BagMetadata read_bag_metadata(const std::filesystem::path& path);

/// The text of metadata.yaml, version 9; one type hash per topic.
std::string format_bag_metadata(const BagMetadata& metadata, const BagContents& contents,
                                const std::vector<std::string>& type_hashes);

}  // namespace pointpng
