#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "pointpng/io/message_type.h"
#include "pointpng/io/point_cloud2.h"

namespace pointpng {

enum class BagStorageKind { kMcap, kSqlite3 };
enum class BagCompression { kNone, kLz4, kZstd };

struct BagWriterOptions {
  BagStorageKind storage = BagStorageKind::kMcap;
  BagCompression compression =
      BagCompression::kNone;                       ///< of chunks (mcap) or messages (sqlite3: zstd)
  std::size_t chunk_bytes = std::size_t{1} << 20;  ///< of mcap, before compression
};

/// Writes a rosbag2 folder. It appears under its name only when `close` has succeeded; without it,
/// nothing is left.
class BagWriter {
 public:
  explicit BagWriter(const std::filesystem::path& folder, const BagWriterOptions& options = {});
  ~BagWriter();
  BagWriter(const BagWriter&) = delete;
  BagWriter& operator=(const BagWriter&) = delete;

  /// Any message type: `cdr` is the message with its encapsulation header.
  void write(const std::string& topic, const MessageType& type, std::int64_t receive_ns,
             std::span<const std::byte> cdr);
  void write(const std::string& topic, std::int64_t receive_ns, const PointCloud2& cloud);
  void close();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pointpng
