#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pointpng {

/// One topic of a bag.
struct BagTopic {
  std::string name;
  std::string type;           ///< "sensor_msgs/msg/PointCloud2"
  std::string serialization;  ///< "cdr"
  std::uint64_t messages = 0;
};

/// A message as it was recorded.
struct BagMessage {
  std::string topic;
  std::int64_t time_ns = 0;         ///< when it was received
  std::span<const std::byte> data;  ///< valid until the next message is read
};

/// What a bag, or one file of it, holds.
struct BagContents {
  std::vector<BagTopic> topics;
  std::uint64_t messages = 0;
  std::int64_t start_ns = 0;  ///< of the earliest message
  std::int64_t end_ns = 0;    ///< of the latest message

  void count(std::uint64_t more, std::int64_t from_ns, std::int64_t to_ns);
};

/// One file of a bag. Opening throws `InputError` for a file that is none; damage further in is a
/// warning, and the messages before it are read.
class BagStorage {
 public:
  virtual ~BagStorage() = default;

  /// Restricts what `next` reads to these topics; none means all. Call it before `next`.
  virtual void select(const std::vector<std::string>& topics) = 0;
  /// Reads on in the order of time; false at the end.
  virtual bool next(BagMessage& message) = 0;

  const BagContents& contents() const { return contents_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 protected:
  BagContents contents_;
  std::vector<std::string> warnings_;
};

std::unique_ptr<BagStorage> open_mcap(const std::filesystem::path& path);
std::unique_ptr<BagStorage> open_db3(const std::filesystem::path& path);

}  // namespace pointpng
