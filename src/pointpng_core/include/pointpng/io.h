#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
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
