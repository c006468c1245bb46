#include <algorithm>
#include <optional>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "io/bag_metadata.h"
#include "io/cdr.h"
#include "io/compression.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataName = "metadata.yaml";

fs::path without_zstd(const fs::path& path) {
  return path.extension() == ".zstd" ? fs::path(path).replace_extension() : path;
}

/// "mcap", "sqlite3" or nothing, by the name.
std::string_view storage_of(const fs::path& path) {
  const fs::path extension = without_zstd(path).extension();
  if (extension == ".mcap") return "mcap";
  if (extension == ".db3") return "sqlite3";
  return "";
}

/// rosbag2 numbers its files: bag_2 comes before bag_10.
bool by_number(const fs::path& a, const fs::path& b) {
  const std::string left = a.string(), right = b.string();
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

std::vector<fs::path> list_bag_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && !storage_of(entry.path()).empty()) files.push_back(entry.path());
  std::ranges::sort(files, by_number);
  return files;
}

/// Early versions of rosbag2 wrote paths that start with the folder's name.
std::optional<fs::path> resolve(const fs::path& folder, const fs::path& entry) {
  for (const fs::path& candidate : {folder / entry, folder / entry.filename()})
    if (fs::is_regular_file(candidate)) return candidate;
  return std::nullopt;
}

/// A bag can be read without its metadata; the user is told if they are broken.
std::optional<BagMetadata> find_metadata(const fs::path& folder, BagInfo& info) {
  if (!fs::exists(folder / kMetadataName)) return std::nullopt;
  try {
    return read_bag_metadata(folder / kMetadataName);
  } catch (const InputError& error) {
    info.warnings.emplace_back(error.what());
    return std::nullopt;
  }
}

/// Fills in storage, compression and files.
void apply_metadata(const fs::path& folder, const BagMetadata& metadata, BagInfo& info) {
  if (metadata.storage != "mcap" && metadata.storage != "sqlite3")
    throw InputError(fmt::format("{}: has the storage '{}'; mcap and sqlite3 can be read",
                                 folder.string(), metadata.storage.substr(0, 40)));
  if (!metadata.compression_mode.empty()) {
    if (metadata.compression_format != "zstd")
      throw InputError(
          fmt::format("{}: is compressed or encrypted with '{}'; only zstd can be read",
                      folder.string(), metadata.compression_format.substr(0, 40)));
    info.compression = "zstd " + metadata.compression_mode;
  }
  info.storage = metadata.storage;
  for (const std::string& name : metadata.files) {
    if (const auto file = resolve(folder, name)) {
      info.files.push_back(*file);
    } else {
      info.warnings.push_back(fmt::format("{}: the file {} is missing", folder.string(), name));
    }
  }
}

BagInfo find_files(const fs::path& path) {
  BagInfo info;
  if (!fs::is_directory(path)) {
    info.files = {path};
    info.storage = storage_of(path);
    if (path.extension() == ".bag")
      throw InputError(path.string() +
                       ": is a ROS 1 bag; convert it first, for example with 'rosbags-convert'");
    if (info.storage.empty())
      throw InputError(path.string() + ": is no bag: .mcap, .db3 or a rosbag2 folder is needed");
    return info;
  }
  if (const auto metadata = find_metadata(path, info)) apply_metadata(path, *metadata, info);
  if (info.files.empty()) {
    info.files = list_bag_files(path);
    if (!info.files.empty()) info.storage = storage_of(info.files[0]);
  }
  if (info.files.empty())
    throw InputError(path.string() + ": is no rosbag2: it holds no .mcap or .db3 file");
  return info;
}

void merge(const BagContents& from, BagContents& into) {
  into.count(from.messages, from.start_ns, from.end_ns);
  for (const BagTopic& topic : from.topics) {
    const auto known = std::ranges::find_if(into.topics, [&](const BagTopic& other) {
      return other.name == topic.name && other.type == topic.type;
    });
    if (known == into.topics.end()) {
      into.topics.push_back(topic);
    } else {
      known->messages += topic.messages;
    }
  }
}

bool is_cloud_topic(const BagTopic& topic) {
  return topic.type == "sensor_msgs/msg/PointCloud2" || topic.type == "sensor_msgs/PointCloud2";
}

std::string name_topics(const std::vector<BagTopic>& topics) {
  constexpr std::size_t kMost = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(topics.size(), kMost); ++i)
    names += fmt::format("{}{} ({})", i ? ", " : "", topics[i].name, topics[i].type);
  return topics.size() > kMost ? names + ", …" : names;
}

/// The topic to read, or a sentence that says what there is to choose from.
BagTopic choose_topic(const fs::path& path, const BagInfo& info, const std::string& wanted) {
  std::vector<BagTopic> clouds;
  std::ranges::copy_if(info.contents.topics, std::back_inserter(clouds), is_cloud_topic);
  if (clouds.empty())
    throw InputError(fmt::format(
        "{}: has no PointCloud2 topic; it has {}", path.string(),
        info.contents.topics.empty() ? "no topics at all" : name_topics(info.contents.topics)));
  if (wanted.empty() && clouds.size() > 1)
    throw InputError(fmt::format("{}: has several PointCloud2 topics, choose one: {}",
                                 path.string(), name_topics(clouds)));
  const auto chosen =
      wanted.empty() ? clouds.begin() : std::ranges::find(clouds, wanted, &BagTopic::name);
  if (chosen == clouds.end())
    throw InputError(fmt::format("{}: has no PointCloud2 topic '{}'; it has {}", path.string(),
                                 wanted, name_topics(clouds)));
  if (chosen->serialization.starts_with("ros1"))
    throw InputError(
        fmt::format("{}: topic {} has the encoding of ROS 1; convert the bag first, for "
                    "example with 'rosbags-convert'",
                    path.string(), chosen->name));
  if (chosen->serialization != "cdr")
    throw InputError(fmt::format("{}: topic {} has the encoding '{}'; only cdr can be read",
                                 path.string(), chosen->name, chosen->serialization.substr(0, 40)));
  return *chosen;
}

}  // namespace

struct BagReader::Implementation {
  /// A temporary folder, removed at the end of its scope.
  struct TemporaryFolder {
    fs::path path;
    ~TemporaryFolder() {
      std::error_code ignored;
      if (!path.empty()) fs::remove_all(path, ignored);
    }
    const fs::path& get() {
      if (path.empty()) {
        std::string name = (fs::temp_directory_path() / "pointpng-bag-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw Error("can't make a temporary folder for the bag");
        path = name;
      }
      return path;
    }
  };

  BagInfo found;
  TemporaryFolder temporary;
  /// A file with its next message, which is read only when it is needed.
  struct Source {
    std::unique_ptr<BagStorage> storage;
    BagMessage message;
    bool is_waiting = false;  // `message` has not been handed out yet
    bool is_done = false;
  };
  std::vector<Source> sources;
  std::vector<std::byte> decompressed;

  void open(const fs::path& file) {
    fs::path plain = file;
    if (file.extension() == ".zstd") {
      plain = temporary.get() / file.stem();
      zstd_decompress_file(file, plain);
    }
    Source source;
    source.storage = found.storage == "mcap" ? open_mcap(plain) : open_db3(plain);
    merge(source.storage->contents(), found.contents);
    sources.push_back(std::move(source));
  }

  /// The source whose next message is the earliest.
  Source* earliest() {
    Source* first = nullptr;
    for (Source& source : sources) {
      if (!source.is_waiting && !source.is_done) {
        source.is_waiting = source.storage->next(source.message);
        source.is_done = !source.is_waiting;
      }
      if (source.is_done) continue;
      if (!first || source.message.time_ns < first->message.time_ns) first = &source;
    }
    return first;
  }

  /// Undoes rosbag2's compression of single messages. A CDR message never starts like a zstd frame.
  void decompress(BagMessage& message) {
    constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 32;
    if (!is_zstd(message.data)) return;
    Decompressed result = zstd_decompress(message.data, kLargestMessage);
    if (!result.complete)
      found.warnings.push_back(fmt::format("a compressed message of {} is damaged", message.topic));
    decompressed = std::move(result.bytes);
    message.data = decompressed;
  }
};

BagReader::BagReader(const fs::path& path) : implementation_(std::make_unique<Implementation>()) {
  if (!fs::exists(path)) throw InputError(path.string() + ": there is no such file or folder");
  implementation_->found = find_files(path);
  for (const fs::path& file : implementation_->found.files) implementation_->open(file);
}

BagReader::~BagReader() = default;

void BagReader::select(const std::vector<std::string>& topics) {
  for (auto& source : implementation_->sources) source.storage->select(topics);
}

bool BagReader::next(BagMessage& message) {
  auto* source = implementation_->earliest();
  if (!source) return false;
  source->is_waiting = false;
  message = source->message;
  implementation_->decompress(message);
  return true;
}

BagInfo BagReader::info() const {
  BagInfo info = implementation_->found;
  for (const auto& source : implementation_->sources)
    info.warnings.insert(info.warnings.end(), source.storage->warnings().begin(),
                         source.storage->warnings().end());
  return info;
}

bool is_bag(const fs::path& path) {
  if (fs::is_directory(path)) return !list_bag_files(path).empty();
  return !storage_of(path).empty() || path.extension() == ".bag";
}

BagInfo inspect_bag(const fs::path& path) { return BagReader(path).info(); }

void read_clouds(const fs::path& path, const std::string& topic,
                 const std::function<bool(const CloudMessage&)>& on_cloud,
                 std::vector<std::string>* notes) {
  BagReader reader(path);
  const BagTopic chosen = choose_topic(path, reader.info(), topic);
  reader.select({chosen.name});
  BagMessage message;
  std::uint64_t broken = 0;
  std::string problem;
  for (bool more = true; more && reader.next(message);) {
    CloudMessage cloud{message.topic, message.time_ns, {}};
    try {
      cloud.cloud = decode_point_cloud2(message.data);
    } catch (const InputError& error) {
      ++broken;
      problem = error.what();
      continue;
    }
    more = on_cloud(cloud);
  }
  if (!notes) return;
  for (const std::string& warning : reader.info().warnings) notes->push_back(warning);
  if (broken > 0)
    notes->push_back(fmt::format("{}: {} messages of {} were skipped: {}", path.string(), broken,
                                 chosen.name, problem));
}

}  // namespace pointpng
