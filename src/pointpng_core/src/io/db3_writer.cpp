// Writes the SQLite files of rosbag2, schema version 4.

#include <set>

#include "io/bag_sink.h"
#include "io/sqlite.h"

namespace pointpng {
namespace {

constexpr const char* kSchema = R"(
PRAGMA journal_mode = MEMORY;
CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL,
  metadata TEXT NOT NULL);
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
  serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL,
  type_description_hash TEXT NOT NULL);
CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL,
  encoding TEXT NOT NULL, encoded_message_definition TEXT NOT NULL,
  type_description_hash TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,
  timestamp INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO schema VALUES (4, 'unknown');
BEGIN;
)";

class Db3Sink : public BagSink {
 public:
  explicit Db3Sink(const std::filesystem::path& path) : database_(sqlite::create(path)) {
    sqlite::run(database_.get(), kSchema);
    insert_ = std::make_unique<sqlite::Statement>(
        database_.get(), "INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)");
  }

  void add_topic(const std::string& name, const MessageType& type) override {
    sqlite::Statement topic(database_.get(),
                            "INSERT INTO topics (name, type, serialization_format, "
                            "offered_qos_profiles, type_description_hash) "
                            "VALUES (?, ?, 'cdr', '[]', ?)");
    topic.bind(1, name);
    topic.bind(2, type.name);
    topic.bind(3, type.hash);
    topic.execute();
    if (!defined_.insert(type.name).second) return;
    sqlite::Statement definition(
        database_.get(),
        "INSERT INTO message_definitions (topic_type, encoding, encoded_message_definition, "
        "type_description_hash) VALUES (?, 'ros2msg', ?, ?)");
    definition.bind(1, type.name);
    definition.bind(2, type.definition);
    definition.bind(3, type.hash);
    definition.execute();
  }

  void write(std::size_t topic, std::int64_t time_ns, std::span<const std::byte> data) override {
    insert_->bind(1, static_cast<std::int64_t>(topic) + 1);
    insert_->bind(2, time_ns);
    insert_->bind(3, data);
    insert_->execute();
  }

  void close() override {
    sqlite::run(database_.get(), "COMMIT");
    insert_.reset();
    database_.reset();
  }

 private:
  sqlite::Database database_;
  std::unique_ptr<sqlite::Statement> insert_;
  std::set<std::string> defined_;
};

}  // namespace

std::unique_ptr<BagSink> create_db3(const std::filesystem::path& path) {
  return std::make_unique<Db3Sink>(path);
}

}  // namespace pointpng
