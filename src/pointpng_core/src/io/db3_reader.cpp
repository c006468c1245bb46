// Reads the SQLite files of rosbag2.

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "io/bag_storage.h"
#include "io/scalar.h"
#include "io/sqlite.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

/// Whether the file has fewer pages than its header says; rejects files that are no database.
bool is_cut_off(const fs::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("#ROSBAG"))
    throw InputError(path.string() +
                     ": is a ROS 1 bag; convert it first, for example with 'rosbags-convert'");
  constexpr std::size_t kSqliteHeaderSize = 100;
  if (!text.starts_with(std::string_view("SQLite format 3\0", 16)) ||
      bytes.size() < kSqliteHeaderSize)
    throw InputError(path.string() + ": is not an SQLite database, or an encrypted one");
  const std::uint64_t stored = load_as<std::uint16_t>(bytes.data() + 16, std::endian::big);
  const std::uint64_t page_size = stored == 1 ? 65536 : stored;
  const std::uint64_t pages = load_as<std::uint32_t>(bytes.data() + 28, std::endian::big);
  return pages * page_size > bytes.size();
}

class Db3Storage : public BagStorage {
 public:
  explicit Db3Storage(const fs::path& path) : path_(path) {
    is_damaged_ = is_cut_off(path);
    open();
    read_topics();
    count_messages();
    for (const auto& [id, topic] : topics_) contents_.topics.push_back(topic);
  }

  void select(const std::vector<std::string>& topics) override { selected_ = topics; }

  bool next(BagMessage& message) override {
    if (!rows_) start();
    while (rows_->step()) {
      const auto topic = topics_.find(rows_->integer(0));
      if (topic == topics_.end() || !is_selected(topic->second.name)) continue;
      message = {topic->second.name, rows_->integer(1), rows_->blob(2)};
      ++read_;
      return true;
    }
    if (!rows_->problem().empty() && !told_)
      warn(fmt::format("is damaged ({}): {} messages were read", rows_->problem(), read_));
    told_ = told_ || !rows_->problem().empty();
    return false;
  }

 private:
  void warn(const std::string& what) {
    warnings_.push_back(fmt::format("{}: {}", path_.string(), what));
  }

  /// Also reads what a crashed recorder left in the write-ahead log, if possible.
  void open() {
    const fs::path log = path_.string() + "-wal";
    std::error_code ignored;
    const bool has_log = fs::exists(log, ignored) && fs::file_size(log, ignored) > 0;
    if (has_log) {
      database_ = sqlite::open_to_read(path_, {false, is_damaged_});
      if (database_) return;
      warn("its write-ahead log can't be read here: the latest messages are missing");
    }
    database_ = sqlite::open_to_read(path_, {true, is_damaged_});
    if (!database_) throw InputError(path_.string() + ": is damaged, or no database of rosbag2");
  }

  void read_topics() {
    sqlite::Statement rows(database_.get(),
                           "SELECT id, name, type, serialization_format FROM topics ORDER BY id");
    while (rows.step())
      if (!rows.text(1).empty())  // a page of zeros where the file is cut off
        topics_[rows.integer(0)] = {rows.text(1), rows.text(2), rows.text(3), 0};
    if (topics_.empty() && is_damaged_)
      throw InputError(path_.string() + ": is cut off before its list of topics");
    if (!rows.problem().empty())
      throw InputError(fmt::format("{}: is damaged, or no database of rosbag2 ({})", path_.string(),
                                   rows.problem()));
  }

  void count_messages() {
    sqlite::Statement rows(database_.get(), "SELECT topic_id, timestamp FROM messages NOT INDEXED");
    while (rows.step()) {
      const auto topic = topics_.find(rows.integer(0));
      if (topic == topics_.end()) continue;
      ++topic->second.messages;
      contents_.count(1, rows.integer(1), rows.integer(1));
    }
    is_damaged_ = is_damaged_ || !rows.problem().empty();
    if (!is_damaged_) return;
    const double seconds = static_cast<double>(contents_.end_ns - contents_.start_ns) * 1e-9;
    warn(fmt::format("is damaged or cut off: {} messages over {:.3f} s can be found",
                     contents_.messages, seconds));
  }

  void start() {
    // The index on time comes after the messages, so a truncated file loses it first.
    const char* order = is_damaged_ ? "NOT INDEXED" : "ORDER BY timestamp, id";
    rows_.emplace(database_.get(),
                  fmt::format("SELECT topic_id, timestamp, data FROM messages {}", order));
  }

  bool is_selected(const std::string& topic) const {
    return selected_.empty() || std::ranges::find(selected_, topic) != selected_.end();
  }

  fs::path path_;
  sqlite::Database database_;
  std::map<std::int64_t, BagTopic> topics_;
  std::vector<std::string> selected_;
  std::optional<sqlite::Statement> rows_;
  std::uint64_t read_ = 0;
  bool is_damaged_ = false;
  bool told_ = false;
};

}  // namespace

std::unique_ptr<BagStorage> open_db3(const fs::path& path) {
  return std::make_unique<Db3Storage>(path);
}

}  // namespace pointpng
