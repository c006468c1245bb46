#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "pointpng/io.h"

namespace pointpng {

/// Writes one file of a bag. Topics count from 0 in the order in which they are added.
class BagSink {
 public:
  virtual ~BagSink() = default;
  virtual void add_topic(const std::string& name, const MessageType& type) = 0;
  virtual void write(std::size_t topic, std::int64_t time_ns, std::span<const std::byte> data) = 0;
  /// Completes the file; throws `Error` where it could not be written whole.
  virtual void close() = 0;
};

std::unique_ptr<BagSink> create_mcap(const std::filesystem::path& path,
                                     const BagWriterOptions& options);
std::unique_ptr<BagSink> create_db3(const std::filesystem::path& path);

}  // namespace pointpng
