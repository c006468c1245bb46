// Reads MCAP files: by their index if they have one, else sequentially.

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "io/bag_storage.h"
#include "io/byte_reader.h"
#include "io/compression.h"
#include "io/mcap_format.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

std::int64_t to_time(std::uint64_t time) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(time, std::numeric_limits<std::int64_t>::max()));
}

/// A message inside its file or chunk.
struct Message {
  std::uint16_t channel = 0;
  std::int64_t time_ns = 0;
  Bytes data;
};

/// Nothing where the record is too short to be one.
std::optional<Message> parse_message(Bytes content) {
  constexpr std::size_t kFixedFields = 2 + 4 + 8 + 8;
  if (content.size() < kFixedFields) return std::nullopt;
  ByteReader in(content);
  Message message;
  message.channel = in.read<std::uint16_t>();
  in.read<std::uint32_t>();  // sequence number
  message.time_ns = to_time(in.read<std::uint64_t>());
  in.read<std::uint64_t>();  // time of publication
  message.data = in.rest();
  return message;
}

struct Channel {
  std::uint16_t schema = 0;
  std::string topic;
  std::string encoding;
};

/// Where a chunk is and what the index says about it.
struct ChunkPlace {
  std::uint64_t offset = 0;
  std::int64_t start_ns = 0;
  std::set<std::uint16_t> channels;  // empty: unknown
};

/// What a chunk holds; where it is damaged, what comes before the damage.
struct ChunkContent {
  std::shared_ptr<const std::vector<std::byte>> buffer;  // where it had to be decompressed
  Bytes records;
  std::string problem;
};

/// Walks over records up to the end or to one that is cut off; returns where it stopped.
template <class OnRecord>
std::size_t walk_records(Bytes bytes, std::size_t position, OnRecord on_record) {
  while (bytes.size() - position >= mcap::kRecordHeader) {
    const auto opcode = std::to_integer<std::uint8_t>(bytes[position]);
    const auto length = load_as<std::uint64_t>(bytes.data() + position + 1, std::endian::little);
    if (length > bytes.size() - position - mcap::kRecordHeader) break;
    if (!on_record(opcode, bytes.subspan(position + mcap::kRecordHeader, length), position)) break;
    position += mcap::kRecordHeader + length;
  }
  return position;
}

/// `available` may be less than the chunk promises, where the file is cut off.
ChunkContent parse_chunk(Bytes available) {
  constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 32;
  constexpr std::uint64_t kBestCompression = 65536;
  ByteReader in(available);
  in.read<std::uint64_t>();  // times of the first and last message
  in.read<std::uint64_t>();
  const auto size = in.read<std::uint64_t>();
  const auto crc = in.read<std::uint32_t>();
  const std::string compression = in.read_string();
  const auto stored = in.read<std::uint64_t>();
  const Bytes data = in.rest().first(std::min<std::uint64_t>(stored, in.rest().size()));

  ChunkContent content;
  if (size > kLargestChunk || size / kBestCompression > data.size()) {
    content.problem = fmt::format("promises {} bytes out of {}", size, data.size());
    return content;
  }
  bool complete = stored == data.size();
  if (compression.empty()) {
    content.records = data;
  } else if (compression == "zstd" || compression == "lz4") {
    auto result = compression == "lz4" ? lz4_decompress(data, size) : zstd_decompress(data, size);
    complete = complete && result.complete;
    content.buffer = std::make_shared<const std::vector<std::byte>>(std::move(result.bytes));
    content.records = *content.buffer;
  } else {
    content.problem =
        fmt::format("is compressed or encrypted with '{}'; none, lz4 and zstd can be read",
                    compression.substr(0, 40));
    return content;
  }
  complete = complete && content.records.size() == size;
  if (!complete) {
    content.problem = "is cut off or damaged";
  } else if (crc != 0 && crc32_of(content.records) != crc) {
    // It is unknown which bytes are wrong, so none of its messages can be trusted.
    content.problem = "has a wrong checksum";
    content.records = {};
  }
  return content;
}

class McapStorage : public BagStorage {
 public:
  explicit McapStorage(const fs::path& path) : file_(path) {
    check_magic();
    const std::string problem = read_summary();
    if (!problem.empty()) warn(problem + ": reading it from front to back");
    // Only messages in chunks are indexed.
    const bool is_unchunked = chunks_.empty() && contents_.messages > 0;
    if (!problem.empty() || is_unchunked) {
      forget_summary();
      scan();
    }
    for (const auto& [id, channel] : channels_) add_topic(channel, counts_[id]);
  }

  void select(const std::vector<std::string>& topics) override { selected_ = topics; }

  bool next(BagMessage& message) override {
    if (!started_) start();
    while (!queue_.empty()) {
      const Entry entry = queue_.top();
      queue_.pop();
      if (entry.chunk) {
        open_chunk(*entry.chunk);
        continue;
      }
      current_ = entry;  // keeps the chunk that holds the data
      message = {channels_.at(entry.message.channel).topic, entry.message.time_ns,
                 entry.message.data};
      return true;
    }
    return false;
  }

 private:
  /// A message to hand out, or a chunk to open when its start time is reached.
  struct Entry {
    std::int64_t time_ns = 0;
    std::uint64_t order = 0;  // ties: as in the file, chunks before messages
    const ChunkPlace* chunk = nullptr;
    Message message;
    std::shared_ptr<const std::vector<std::byte>> buffer;
    bool operator<(const Entry& other) const {  // the queue hands out the largest
      return std::tie(other.time_ns, other.order) < std::tie(time_ns, order);
    }
  };

  void warn(const std::string& what) {
    warnings_.push_back(fmt::format("{}: {}", file_.path().string(), what));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", file_.path().string(), what));
  }

  void check_magic() const {
    const Bytes bytes = file_.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("#ROSBAG"))
      fail("is a ROS 1 bag; convert it first, for example with 'rosbags-convert'");
    if (!text.starts_with(mcap::kMagic)) fail("is not an MCAP file");
  }

  // ---- the index at the end of the file ----

  /// Empty where the summary could be used, otherwise why not.
  std::string read_summary() {
    const Bytes bytes = file_.bytes();
    const std::size_t tail = mcap::kFooterRecord + mcap::kMagic.size();
    if (bytes.size() < mcap::kMagic.size() + tail) return "is cut off";
    const std::size_t footer = bytes.size() - tail;
    const std::string_view end(
        reinterpret_cast<const char*>(bytes.data()) + bytes.size() - mcap::kMagic.size(),
        mcap::kMagic.size());
    if (end != mcap::kMagic || bytes[footer] != std::byte{mcap::kFooter}) return "is cut off";
    ByteReader in(bytes.subspan(footer + mcap::kRecordHeader));
    const auto summary = in.read<std::uint64_t>();
    in.read<std::uint64_t>();
    const auto crc = in.read<std::uint32_t>();
    if (summary == 0) return "has no index";
    if (summary > footer) return "has a damaged index";
    // The checksum covers the summary and the footer up to itself.
    const Bytes checked = bytes.subspan(summary, footer + mcap::kRecordHeader + 16 - summary);
    if (crc != 0 && crc32_of(checked) != crc) return "has a damaged index";
    try {
      return read_summary_records(bytes.subspan(summary, footer - summary));
    } catch (const InputError&) {
      return "has a damaged index";
    }
  }

  std::string read_summary_records(Bytes summary) {
    std::optional<std::uint32_t> chunk_count;
    const std::size_t end =
        walk_records(summary, 0, [&](std::uint8_t opcode, Bytes content, std::size_t) {
          if (opcode == mcap::kStatistics) {
            chunk_count = read_statistics(content);
          } else if (opcode == mcap::kChunkIndex) {
            chunks_.push_back(parse_chunk_index(content));
          } else {
            read_definition(opcode, content);
          }
          return true;
        });
    if (end != summary.size()) return "has a damaged index";
    if (!chunk_count || *chunk_count != chunks_.size()) return "has an incomplete index";
    for (const auto& [id, messages] : counts_)
      if (!channels_.contains(id)) return "has an incomplete index";
    return "";
  }

  std::uint32_t read_statistics(Bytes content) {
    ByteReader in(content);
    const auto messages = in.read<std::uint64_t>();
    in.take(2 + 4 + 4 + 4);  // numbers of schemas, channels, attachments, metadata
    const auto chunks = in.read<std::uint32_t>();
    const auto start = in.read<std::uint64_t>();
    const auto end = in.read<std::uint64_t>();
    contents_.count(messages, to_time(start), to_time(end));
    ByteReader counts(in.take(in.read<std::uint32_t>()));
    while (!counts.rest().empty()) {
      const auto channel = counts.read<std::uint16_t>();
      counts_[channel] = counts.read<std::uint64_t>();
    }
    return chunks;
  }

  ChunkPlace parse_chunk_index(Bytes content) const {
    ByteReader in(content);
    ChunkPlace place;
    place.start_ns = to_time(in.read<std::uint64_t>());
    in.read<std::uint64_t>();
    place.offset = in.read<std::uint64_t>();
    const auto length = in.read<std::uint64_t>();
    const std::size_t size = file_.bytes().size();
    if (place.offset > size || length > size - place.offset || length < mcap::kRecordHeader)
      throw InputError("a chunk outside of the file");
    ByteReader offsets(in.take(in.read<std::uint32_t>()));
    while (!offsets.rest().empty()) {
      place.channels.insert(offsets.read<std::uint16_t>());
      offsets.read<std::uint64_t>();
    }
    return place;
  }

  void forget_summary() {
    chunks_.clear();
    channels_.clear();
    schemas_.clear();
    counts_.clear();
    contents_ = {};
  }

  /// Schemas and channels are found in the summary, in chunks and between them.
  void read_definition(std::uint8_t opcode, Bytes content) {
    ByteReader in(content);
    if (opcode == mcap::kSchema) {
      const auto id = in.read<std::uint16_t>();
      schemas_[id] = in.read_string();
    } else if (opcode == mcap::kChannel) {
      const auto id = in.read<std::uint16_t>();
      Channel channel;
      channel.schema = in.read<std::uint16_t>();
      channel.topic = in.read_string();
      channel.encoding = in.read_string();
      channels_.try_emplace(id, channel);
    }
  }

  // ---- without the index ----

  void scan() {
    const Bytes bytes = file_.bytes();
    bool ended = false;
    std::string problem;
    std::size_t stop = walk_records(bytes, mcap::kMagic.size(),
                                    [&](std::uint8_t opcode, Bytes content, std::size_t offset) {
                                      ended = opcode == mcap::kDataEnd || opcode == mcap::kFooter;
                                      if (ended) return false;
                                      try {
                                        scan_record(opcode, content, offset);
                                      } catch (const InputError&) {
                                        problem = "a record is damaged";
                                      }
                                      return problem.empty();
                                    });
    if (ended) return;
    if (problem.empty() && bytes.size() - stop > mcap::kRecordHeader &&
        bytes[stop] == std::byte{mcap::kChunk}) {
      // The chunk that is cut off: its first messages may be whole.
      try {
        scan_record(mcap::kChunk, bytes.subspan(stop + mcap::kRecordHeader), stop);
      } catch (const InputError&) {
        problem = "a record is damaged";
      }
    }
    const double seconds = static_cast<double>(contents_.end_ns - contents_.start_ns) * 1e-9;
    warn(
        fmt::format("is damaged or cut off at byte {} of {}: {} messages over {:.3f} s can be read",
                    stop, bytes.size(), contents_.messages, seconds));
  }

  void scan_record(std::uint8_t opcode, Bytes content, std::size_t offset) {
    if (opcode == mcap::kChunk) {
      scan_chunk(content, offset);
    } else if (opcode == mcap::kMessage) {
      const auto message = parse_message(content);
      if (!message) throw InputError("a message is too short");
      count_message(*message);
      loose_.push_back(*message);
    } else {
      read_definition(opcode, content);
    }
  }

  void scan_chunk(Bytes content, std::size_t offset) {
    const ChunkContent chunk = parse_chunk(content);
    ChunkPlace place{offset, std::numeric_limits<std::int64_t>::max(), {}};
    walk_records(chunk.records, 0, [&](std::uint8_t opcode, Bytes record, std::size_t) {
      if (opcode == mcap::kMessage) {
        const auto message = parse_message(record);
        if (!message) return false;
        count_message(*message);
        place.start_ns = std::min(place.start_ns, message->time_ns);
      } else {
        read_definition(opcode, record);
      }
      return true;
    });
    chunks_.push_back(place);
  }

  void count_message(const Message& message) {
    contents_.count(1, message.time_ns, message.time_ns);
    ++counts_[message.channel];
  }

  // ---- handing out messages ----

  void add_topic(const Channel& channel, std::uint64_t messages) {
    const auto schema = schemas_.find(channel.schema);
    const std::string type = schema == schemas_.end() ? "" : schema->second;
    for (BagTopic& topic : contents_.topics) {
      if (topic.name != channel.topic || topic.type != type) continue;
      topic.messages += messages;
      return;
    }
    contents_.topics.push_back({channel.topic, type, channel.encoding, messages});
  }

  bool is_selected(std::uint16_t id) const {
    const auto channel = channels_.find(id);
    if (channel == channels_.end()) return false;
    return selected_.empty() ||
           std::ranges::find(selected_, channel->second.topic) != selected_.end();
  }

  void start() {
    started_ = true;
    for (const ChunkPlace& chunk : chunks_) {
      const auto wanted = [&](std::uint16_t id) { return is_selected(id); };
      if (!chunk.channels.empty() && std::ranges::none_of(chunk.channels, wanted)) continue;
      queue_.push({chunk.start_ns, 0, &chunk, {}, nullptr});
    }
    for (const Message& message : loose_)
      if (is_selected(message.channel))
        queue_.push({message.time_ns, ++order_, nullptr, message, nullptr});
  }

  void open_chunk(const ChunkPlace& place) {
    try {
      const Bytes bytes = file_.bytes().subspan(place.offset);
      if (bytes.size() < mcap::kRecordHeader || bytes[0] != std::byte{mcap::kChunk})
        throw InputError("is not where the index says");
      const auto length = load_as<std::uint64_t>(bytes.data() + 1, std::endian::little);
      const Bytes body = bytes.subspan(mcap::kRecordHeader);
      const ChunkContent chunk =
          parse_chunk(body.first(std::min<std::uint64_t>(length, body.size())));
      const std::uint64_t before = order_;
      walk_records(chunk.records, 0, [&](std::uint8_t opcode, Bytes record, std::size_t) {
        if (opcode == mcap::kMessage) {
          const auto message = parse_message(record);
          if (!message) return false;
          if (is_selected(message->channel))
            queue_.push({message->time_ns, ++order_, nullptr, *message, chunk.buffer});
        }
        return true;
      });
      if (!chunk.problem.empty())
        warn(fmt::format("the chunk at byte {} {}; {} of its messages were read", place.offset,
                         chunk.problem, order_ - before));
    } catch (const InputError& error) {
      warn(fmt::format("the chunk at byte {} {}", place.offset, error.what()));
    }
  }

  MappedFile file_;
  std::map<std::uint16_t, std::string> schemas_;  // their names
  std::map<std::uint16_t, Channel> channels_;
  std::map<std::uint16_t, std::uint64_t> counts_;
  std::vector<ChunkPlace> chunks_;
  std::vector<Message> loose_;  // outside of chunks
  std::vector<std::string> selected_;
  std::priority_queue<Entry> queue_;
  std::uint64_t order_ = 0;
  Entry current_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<BagStorage> open_mcap(const fs::path& path) {
  return std::make_unique<McapStorage>(path);
}

}  // namespace pointpng
