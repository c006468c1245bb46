#include "io/cloud_file.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/random.h"
#include "base/rows.h"
#include "io/npy.h"
#include "io/obj.h"
#include "io/off.h"
#include "io/pcd.h"
#include "io/ply.h"
#include "io/subset.h"
#include "io/surface.h"
#include "io/xyz.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool is_text_of_points(const std::string& extension) {
  static constexpr const char* kExtensions[] = {".xyz", ".txt", ".csv", ".pts", ".asc"};
  return std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

Mesh without_triangles(Cloud points) { return {std::move(points), Triangles(0, 3)}; }

Mesh parse_by_extension(const FileView& file) {
  const std::string extension = lower_extension(file.name);
  if (extension == ".ply") return read_ply(file);
  if (extension == ".off") return read_off(file);
  if (extension == ".obj") return read_obj(file);
  if (extension == ".pcd") return without_triangles(read_pcd(file));
  if (extension == ".npy") return without_triangles(read_npy(file));
  if (is_text_of_points(extension)) return without_triangles(read_xyz(file));
  file.fail(
      fmt::format("'{}' is no known extension; ply, pcd, off, obj, xyz, txt, csv, pts, asc and "
                  "npy are",
                  extension));
}

/// A mesh keeps all its vertices, because triangles index them, but loses triangles with
/// non-finite corners.
void drop_broken_triangles(const FileView& file, Mesh& mesh) {
  Eigen::Index kept = 0;
  for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
    bool finite = true;
    for (Eigen::Index corner = 0; corner < 3; ++corner)
      finite = finite && mesh.vertices.row(mesh.triangles(t, corner)).allFinite();
    if (finite) mesh.triangles.row(kept++) = mesh.triangles.row(t);
  }
  const Eigen::Index dropped = mesh.triangles.rows() - kept;
  if (dropped == 0) return;
  if (kept == 0) file.fail("every triangle has a corner that is NaN or infinite");
  mesh.triangles.conservativeResize(kept, 3);
  file.note(fmt::format("{} triangles with NaN or infinite corners dropped", dropped));
}

void drop_broken_points(const FileView& file, Mesh& mesh) {
  const Eigen::Index before = mesh.vertices.rows();
  const std::size_t dropped = drop_non_finite(mesh.vertices);
  if (dropped == 0) return;
  if (mesh.vertices.rows() == 0)
    file.fail(fmt::format("all {} points are NaN or infinite", before));
  file.note(fmt::format("{} of {} points are NaN or infinite and were dropped", dropped, before));
}

}  // namespace

bool is_cloud_file(const fs::path& path) {
  static constexpr const char* kExtensions[] = {".ply", ".off", ".obj", ".pcd", ".npy"};
  const std::string extension = lower_extension(path);
  return is_text_of_points(extension) ||
         std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

Mesh parse_geometry(const FileView& file) {
  if (file.bytes.empty()) file.fail("is empty");
  Mesh mesh = parse_by_extension(file);
  if (mesh.vertices.rows() == 0) file.fail("has no points");
  if (mesh.triangles.rows() > 0) {
    drop_broken_triangles(file, mesh);
  } else {
    drop_broken_points(file, mesh);
  }
  return mesh;
}

Cloud load_cloud(const fs::path& path, const LoadOptions& options,
                 std::vector<std::string>* notes) {
  const MappedFile mapped(path);
  const FileView file{mapped.bytes(), path.string(), notes};
  Mesh mesh = parse_geometry(file);
  Random random({options.seed});
  if (mesh.triangles.rows() > 0) {
    try {
      return sample_surface(mesh, options.mesh_points, random);
    } catch (const InputError& error) {
      file.fail(error.what());
    }
  }
  if (options.max_points <= 0 || mesh.vertices.rows() <= options.max_points) return mesh.vertices;
  file.note(fmt::format("{} of {} points used", options.max_points, mesh.vertices.rows()));
  return random_subset(mesh.vertices, options.max_points, random);
}

void save_cloud(const fs::path& path, const Cloud& points) {
  const std::string extension = lower_extension(path);
  const auto write = [&](void (*format)(std::ostream&, const Cloud&)) {
    write_file_atomically(path, [&](std::ostream& out) { format(out, points); });
  };
  if (extension == ".ply") return write(write_ply);
  if (extension == ".pcd") return write(write_pcd);
  if (extension == ".npy") return write(write_npy);
  if (extension == ".xyz" || extension == ".txt") return write(write_xyz);
  throw InputError(fmt::format("{}: clouds are written as ply, pcd, npy, xyz or txt, not '{}'",
                               path.string(), extension));
}

}  // namespace pointpng
