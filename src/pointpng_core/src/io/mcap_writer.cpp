// Writes MCAP files as rosbag2 does: chunked, with index, statistics and checksums.

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "io/bag_sink.h"
#include "io/compression.h"
#include "io/mcap_format.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using Bytes = std::span<const std::byte>;

/// A sequence of little-endian values.
class Buffer {
 public:
  template <class T>
  Buffer& add(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    return *this;
  }
  Buffer& add_raw(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Buffer& add_text(std::string_view text) {
    add(static_cast<std::uint32_t>(text.size()));
    return add_raw(std::as_bytes(std::span(text)));
  }
  Buffer& add_sized(const Buffer& other) {  ///< maps and arrays: their size in bytes first
    add(static_cast<std::uint32_t>(other.bytes_.size()));
    return add_raw(other.bytes_);
  }
  Buffer& add_record(mcap::Opcode opcode, const Buffer& content) {
    add(static_cast<std::uint8_t>(opcode)).add(static_cast<std::uint64_t>(content.bytes_.size()));
    return add_raw(content.bytes_);
  }
  Bytes bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

/// Earliest and latest time.
struct TimeRange {
  std::uint64_t start = 0, end = 0, count = 0;
  void include(std::uint64_t time) {
    start = count == 0 ? time : std::min(start, time);
    end = std::max(end, time);
    ++count;
  }
};

const char* name_of(BagCompression compression) {
  switch (compression) {
    case BagCompression::kLz4:
      return "lz4";
    case BagCompression::kZstd:
      return "zstd";
    case BagCompression::kNone:
      break;
  }
  return "";
}

class McapSink : public BagSink {
 public:
  McapSink(const std::filesystem::path& path, const BagWriterOptions& options)
      : path_(path), options_(options), out_(path, std::ios::binary) {
    put(std::as_bytes(std::span(mcap::kMagic)));
    put_record(mcap::kHeader, Buffer().add_text("ros2").add_text("pointpng"));
  }

  void add_topic(const std::string& name, const MessageType& type) override {
    const auto [schema, is_new] =
        schemas_.try_emplace(type.name, static_cast<std::uint16_t>(schemas_.size() + 1));
    if (is_new) {
      Buffer content;
      content.add(schema->second).add_text(type.name).add_text("ros2msg").add_text(type.definition);
      definitions_.add_record(mcap::kSchema, content);
      chunk_.add_record(mcap::kSchema, content);
    }
    Buffer metadata;
    metadata.add_text("offered_qos_profiles").add_text("[]");
    metadata.add_text("topic_type_hash").add_text(type.hash);
    Buffer content;
    content.add(static_cast<std::uint16_t>(counts_.size())).add(schema->second);
    content.add_text(name).add_text("cdr").add_sized(metadata);
    definitions_.add_record(mcap::kChannel, content);
    chunk_.add_record(mcap::kChannel, content);
    counts_.push_back(0);
  }

  void write(std::size_t topic, std::int64_t time_ns, Bytes data) override {
    const auto time = static_cast<std::uint64_t>(time_ns);
    const auto channel = static_cast<std::uint16_t>(topic);
    chunk_index_[channel].add(time).add(static_cast<std::uint64_t>(chunk_.size()));
    Buffer content;
    content.add(channel).add(static_cast<std::uint32_t>(counts_[topic])).add(time).add(time);
    content.add_raw(data);
    chunk_.add_record(mcap::kMessage, content);
    chunk_times_.include(time);
    all_times_.include(time);
    ++counts_[topic];
    if (chunk_.size() >= options_.chunk_bytes) finish_chunk();
  }

  void close() override {
    if (chunk_.size() > 0) finish_chunk();
    put_record(mcap::kDataEnd, Buffer().add(crc_));
    put_summary();
    put(std::as_bytes(std::span(mcap::kMagic)));
    out_.close();
    if (!out_) throw Error(fmt::format("writing {} failed: is the disk full?", path_.string()));
  }

 private:
  void put(Bytes bytes) {
    out_.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!out_) throw Error(fmt::format("writing {} failed: is the disk full?", path_.string()));
    crc_ = crc32_of(bytes, crc_);
    position_ += bytes.size();
  }
  void put_record(mcap::Opcode opcode, const Buffer& content) {
    put(Buffer().add_record(opcode, content).bytes());
  }

  std::vector<std::byte> compress(Bytes bytes) const {
    if (options_.compression == BagCompression::kLz4) return lz4_compress(bytes);
    if (options_.compression == BagCompression::kZstd) return zstd_compress(bytes);
    return {bytes.begin(), bytes.end()};
  }

  /// Writes the chunk and the offsets of its messages, and records it for the summary.
  void finish_chunk() {
    const std::vector<std::byte> stored = compress(chunk_.bytes());
    const std::uint64_t begin = position_;
    Buffer content;
    content.add(chunk_times_.start).add(chunk_times_.end);
    content.add(static_cast<std::uint64_t>(chunk_.size())).add(crc32_of(chunk_.bytes()));
    content.add_text(name_of(options_.compression));
    content.add(static_cast<std::uint64_t>(stored.size())).add_raw(stored);
    put_record(mcap::kChunk, content);
    const std::uint64_t length = position_ - begin;

    Buffer places;
    for (const auto& [channel, entries] : chunk_index_) {
      places.add(channel).add(position_);
      put_record(mcap::kMessageIndex, Buffer().add(channel).add_sized(entries));
    }
    Buffer index;
    index.add(chunk_times_.start).add(chunk_times_.end).add(begin).add(length).add_sized(places);
    index.add(position_ - begin - length).add_text(name_of(options_.compression));
    index.add(static_cast<std::uint64_t>(stored.size()));
    index.add(static_cast<std::uint64_t>(chunk_.size()));
    chunk_indexes_.add_record(mcap::kChunkIndex, index);
    ++chunk_count_;

    chunk_.clear();
    chunk_index_.clear();
    chunk_times_ = {};
  }

  Buffer statistics() const {
    Buffer counts;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts.add(static_cast<std::uint16_t>(i)).add(counts_[i]);
    Buffer content;
    content.add(all_times_.count).add(static_cast<std::uint16_t>(schemas_.size()));
    content.add(static_cast<std::uint32_t>(counts_.size())).add(std::uint32_t{0});
    content.add(std::uint32_t{0}).add(chunk_count_).add(all_times_.start).add(all_times_.end);
    return content.add_sized(counts);
  }

  void put_summary() {
    const std::uint64_t begin = position_;
    crc_ = 0;
    put(definitions_.bytes());
    put_record(mcap::kStatistics, statistics());
    put(chunk_indexes_.bytes());
    Buffer footer;
    footer.add(static_cast<std::uint8_t>(mcap::kFooter)).add(std::uint64_t{20});
    footer.add(begin).add(std::uint64_t{0});  // no table of offsets into the summary
    put(footer.bytes());
    put(Buffer().add(crc_).bytes());
  }

  std::filesystem::path path_;
  BagWriterOptions options_;
  std::ofstream out_;
  std::uint64_t position_ = 0;
  std::uint32_t crc_ = 0;  // of the data, then of the summary
  std::map<std::string, std::uint16_t> schemas_;
  std::vector<std::uint64_t> counts_;  // messages per channel
  Buffer definitions_;                 // schemas and channels, repeated in the summary
  Buffer chunk_;
  std::map<std::uint16_t, Buffer> chunk_index_;  // channel: times and offsets in the chunk
  TimeRange chunk_times_;
  TimeRange all_times_;
  Buffer chunk_indexes_;
  std::uint32_t chunk_count_ = 0;
};

}  // namespace

std::unique_ptr<BagSink> create_mcap(const std::filesystem::path& path,
                                     const BagWriterOptions& options) {
  return std::make_unique<McapSink>(path, options);
}

}  // namespace pointpng
