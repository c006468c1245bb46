#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "io/bag_metadata.h"
#include "io/bag_sink.h"
#include "io/cdr.h"
#include "io/compression.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

/// "folder/" and "folder" are the same bag.
fs::path without_slash(const fs::path& folder) {
  const fs::path normal = folder.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

struct BagWriter::Implementation {
  Implementation(const fs::path& path, const BagWriterOptions& wanted)
      : folder(without_slash(path)), options(wanted) {
    if (fs::exists(folder))
      throw InputError(
          fmt::format("{}: exists already; choose another name for the bag", folder.string()));
    if (options.storage == BagStorageKind::kSqlite3 && options.compression == BagCompression::kLz4)
      throw InputError("a .db3 bag can be compressed with zstd, not with lz4");
    temporary = folder.string() + fmt::format(".{}.partial", ::getpid());
    fs::remove_all(temporary);
    std::error_code error;
    fs::create_directories(temporary, error);
    if (error) throw Error(fmt::format("can't write {}: {}", folder.string(), error.message()));
    const bool is_mcap = options.storage == BagStorageKind::kMcap;
    file = folder.filename().string() + (is_mcap ? "_0.mcap" : "_0.db3");
    sink = is_mcap ? create_mcap(temporary / file, options) : create_db3(temporary / file);
  }
  ~Implementation() {
    sink.reset();
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
  }

  std::size_t topic_index(const std::string& name, const MessageType& type) {
    const auto [found, is_new] = topics.try_emplace(name, contents.topics.size());
    if (is_new) {
      sink->add_topic(name, type);
      contents.topics.push_back({name, type.name, "cdr", 0});
      hashes.push_back(type.hash);
    } else if (contents.topics[found->second].type != type.name) {
      throw InputError(fmt::format("topic {} has messages of two types, {} and {}", name,
                                   contents.topics[found->second].type, type.name));
    }
    return found->second;
  }

  bool compresses_messages() const {
    return options.storage == BagStorageKind::kSqlite3 &&
           options.compression == BagCompression::kZstd;
  }

  BagMetadata metadata() const {
    BagMetadata result;
    result.storage = options.storage == BagStorageKind::kMcap ? "mcap" : "sqlite3";
    result.files = {file};
    if (compresses_messages()) {
      result.compression_format = "zstd";
      result.compression_mode = "message";
    }
    return result;
  }

  fs::path folder;
  fs::path temporary;
  BagWriterOptions options;
  std::string file;
  std::unique_ptr<BagSink> sink;
  BagContents contents;
  std::map<std::string, std::size_t> topics;
  std::vector<std::string> hashes;
};

BagWriter::BagWriter(const fs::path& folder, const BagWriterOptions& options)
    : implementation_(std::make_unique<Implementation>(folder, options)) {}

BagWriter::~BagWriter() = default;

void BagWriter::write(const std::string& topic, const MessageType& type, std::int64_t receive_ns,
                      std::span<const std::byte> cdr) {
  auto& self = *implementation_;
  if (!self.sink) throw Error("the bag is closed already");
  const std::size_t index = self.topic_index(topic, type);
  if (self.compresses_messages()) {
    self.sink->write(index, receive_ns, zstd_compress(cdr));
  } else {
    self.sink->write(index, receive_ns, cdr);
  }
  ++self.contents.topics[index].messages;
  self.contents.count(1, receive_ns, receive_ns);
}

void BagWriter::write(const std::string& topic, std::int64_t receive_ns, const PointCloud2& cloud) {
  write(topic, point_cloud2_type(), receive_ns, encode_point_cloud2(cloud));
}

void BagWriter::close() {
  auto& self = *implementation_;
  if (!self.sink) return;
  self.sink->close();
  self.sink.reset();
  sync_to_disk(self.temporary / self.file);
  write_file_atomically(self.temporary / "metadata.yaml",
                        format_bag_metadata(self.metadata(), self.contents, self.hashes));
  std::error_code error;
  fs::rename(self.temporary, self.folder, error);
  if (error) throw Error(fmt::format("can't write {}: {}", self.folder.string(), error.message()));
  sync_to_disk(self.folder.has_parent_path() ? self.folder.parent_path() : fs::path("."));
}

}  // namespace pointpng
