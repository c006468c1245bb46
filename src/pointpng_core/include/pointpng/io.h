#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pointpng/cloud.h"

namespace pointpng {

/// How files become clouds. The same options and the same files give the same points.
struct LoadOptions {
  int mesh_points = 4096;  ///< points sampled from the surface of a mesh or a procedural object
  int max_points = 16384;  ///< larger clouds are downsampled at random; 0 keeps all points
  std::string topic;       ///< which PointCloud2 topic of a bag; empty where it has only one
  std::uint64_t seed = 0;  ///< of the sampling
  bool background = true;  ///< keep the points that an HDF5 file's `mask` marks as background
};

// One cloud
// -------------------------------------------------------------------------------------------

/// True for a file name that `load_cloud` knows: ply, pcd, off, obj, xyz, txt, csv, pts, asc, npy.
bool is_cloud_file(const std::filesystem::path& path);

/// The finite points of a file, or points sampled from the surface where it holds a mesh. What the
/// user should know (NaNs dropped, cloud downsampled) is appended to `notes`.
Cloud load_cloud(const std::filesystem::path& path, const LoadOptions& options = {},
                 std::vector<std::string>* notes = nullptr);

/// Writes ply, pcd, xyz, txt or npy by extension; the file is whole or not there.
void save_cloud(const std::filesystem::path& path, const Cloud& points);

// Data sets
// -------------------------------------------------------------------------------------------

/// Shapes from whatever the user names:
///   F.h5, or a .txt that lists such files · a folder of cloud files, one subfolder per class or
///   flat · a folder of depth frames (7-Scenes) · a rosbag2 folder, .mcap or .db3 · a single cloud
///   file · procedural:COUNT[:SEED]
/// Of a collection, unusable shapes are skipped with a note; a single unusable file, or a
/// collection without a usable shape, is an `InputError`.
ShapeSet load_shapes(const std::string& source, const LoadOptions& options = {},
                     std::vector<std::string>* notes = nullptr);

/// Adds the shapes of one set to another; classes of the same name are one.
void append_shapes(ShapeSet& all, ShapeSet more);

/// Moves every n-th shape into a set of its own, as held-out data; none for n = 0.
ShapeSet take_every(ShapeSet& shapes, std::int64_t n);

/// Changes whenever a point, a label or the order of the shapes does.
std::uint32_t checksum_of(const ShapeSet& set);

/// The families of procedural objects: "chair", "table", … A shape's label is its row here.
const std::vector<std::string>& procedural_families();

/// An object made of boxes, cylinders, cones, ellipsoids and rings with proportions of its own.
/// Each index gives another one, no rotation maps it onto itself, and its points are uniform over
/// its surface, centred and scaled to the unit sphere. z is up.
Shape procedural_shape(std::uint64_t seed, std::uint64_t index, Eigen::Index points);

/// Objects 0 … count-1 of a seed, families in turn.
ShapeSet procedural_shapes(std::int64_t count, Eigen::Index points, std::uint64_t seed);

// Recordings
// -------------------------------------------------------------------------------------------

/// One cloud of a recording. It may be empty: a sensor can see nothing.
struct SequenceFrame {
  double seconds = 0.0;  ///< of the header stamp; in a folder, the number of the file
  std::string name;
  Cloud points;  ///< finite ones
};

/// Calls `on_frame` for the clouds of a recording in order, until it returns false: the messages of
/// a rosbag2's PointCloud2 topic, the depth frames (7-Scenes) or the cloud files of a folder.
void read_sequence(const std::filesystem::path& path, const LoadOptions& options,
                   const std::function<bool(const SequenceFrame&)>& on_frame,
                   std::vector<std::string>* notes = nullptr);

// PointCloud2
// -------------------------------------------------------------------------------------------

/// sensor_msgs/msg/PointField.
struct PointField {
  std::string name;
  std::uint32_t offset = 0;  ///< bytes from the start of the point
  /// INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 = 8
  std::uint8_t datatype = 7;
  std::uint32_t count = 1;
};

/// sensor_msgs/msg/PointCloud2, without ROS.
struct PointCloud2 {
  std::int64_t stamp_ns = 0;
  std::string frame_id;
  std::uint32_t height = 1;
  std::uint32_t width = 0;
  std::vector<PointField> fields;
  bool is_bigendian = false;
  std::uint32_t point_step = 0;
  std::uint32_t row_step = 0;
  std::vector<std::byte> data;
  bool is_dense = false;
};

/// The finite points of a message, row by row; `dropped` is set to the number of the others. Throws
/// `InputError` where x, y, z are missing or the message's sizes contradict each other.
Cloud to_cloud(const PointCloud2& message, std::size_t* dropped = nullptr);

/// The same of a message whose bytes are elsewhere; `message.data` is not read.
Cloud to_cloud(const PointCloud2& message, std::span<const std::byte> data,
               std::size_t* dropped = nullptr);

/// Some lidars mark a missing return with 0 0 0 instead of NaN: removes the points at the origin
/// where there are several of them, and returns how many were removed.
std::size_t drop_missing_returns(Cloud& points);

/// An unorganised message with float x y z.
PointCloud2 from_cloud(const Cloud& points, std::string frame_id, std::int64_t stamp_ns);

// Reading bags
// -------------------------------------------------------------------------------------------

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

/// What `pointpng bag info` shows.
struct BagInfo {
  std::string storage;      ///< "mcap" or "sqlite3"
  std::string compression;  ///< rosbag2's own: "", "zstd file" or "zstd message"
  std::vector<std::filesystem::path> files;
  BagContents contents;
  std::vector<std::string> warnings;  ///< damage, and how far the bag can be read
};

/// True for a .mcap, .db3 or ROS 1 .bag file (also .zstd of the former), or a folder with such a
/// file.
bool is_bag(const std::filesystem::path& path);

BagInfo inspect_bag(const std::filesystem::path& path);

/// Reads the messages of a rosbag2 (a folder, with or without metadata.yaml, or one of its files)
/// in the order in which they were received.
class BagReader {
 public:
  explicit BagReader(const std::filesystem::path& path);
  ~BagReader();
  BagReader(const BagReader&) = delete;
  BagReader& operator=(const BagReader&) = delete;

  /// Restricts what `next` reads to these topics. Call it before `next`.
  void select(const std::vector<std::string>& topics);
  bool next(BagMessage& message);
  /// With the warnings so far: damage inside a chunk shows up only while reading.
  BagInfo info() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A point cloud out of a bag.
struct CloudMessage {
  std::string topic;
  std::int64_t receive_ns = 0;
  PointCloud2 cloud;
};

/// Calls `on_cloud` for every PointCloud2 of `topic`, or of the only such topic where it is empty,
/// until it returns false. Warnings, and messages that had to be skipped, go to `notes`.
void read_clouds(const std::filesystem::path& path, const std::string& topic,
                 const std::function<bool(const CloudMessage&)>& on_cloud,
                 std::vector<std::string>* notes = nullptr);

// Writing bags
// -------------------------------------------------------------------------------------------

/// A ROS 2 message type as bags describe it, so that readers without ROS can decode it.
struct MessageType {
  std::string name;        ///< "sensor_msgs/msg/PointCloud2"
  std::string definition;  ///< .msg text, followed by the types that it uses
  std::string hash;        ///< RIHS01 type hash
};

const MessageType& point_cloud2_type();

enum class BagStorageKind { kMcap, kSqlite3 };
enum class BagCompression { kNone, kLz4, kZstd };

struct BagWriterOptions {
  BagStorageKind storage = BagStorageKind::kMcap;
  /// Of chunks (mcap) or messages (sqlite3: zstd).
  BagCompression compression = BagCompression::kNone;
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

// Any file
// -------------------------------------------------------------------------------------------

/// Writes a file so that it is either the old one or the whole new one, even when the disk fills up
/// or the process is killed: writes beside it, syncs, renames. Throws `Error` and leaves nothing.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The whole file as text; throws `InputError` where it can't be read.
std::string read_file(const std::filesystem::path& path);

/// NumPy's NPY: rows of float32 in C order.
void write_npy_rows(
    std::ostream& out,
    const Eigen::Ref<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>&
        rows);

}  // namespace pointpng
