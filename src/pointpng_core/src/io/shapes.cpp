#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "base/rows.h"
#include "io/cloud_file.h"
#include "io/compression.h"
#include "io/depth.h"
#include "io/hdf5.h"
#include "io/subset.h"
#include "io/text.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestPoints = 8;
constexpr std::string_view kProcedural = "procedural:";

/// Collects shapes one by one, cleans them, and counts what was removed.
class Collector {
 public:
  Collector(const LoadOptions& options, std::vector<std::string>* notes)
      : options_(options), notes_(notes) {}

  /// Throws `InputError` where the cloud has too few points to be a shape.
  void add(Cloud points, const std::string& class_name, const std::string& name) {
    const Eigen::Index before = points.rows();
    if (const std::size_t dropped = drop_non_finite(points)) {
      dropped_ += dropped;
      ++shapes_with_dropped_;
    }
    if (!has_distinct_points(points, kFewestPoints))
      throw InputError(fmt::format("{}: has fewer than {} different finite points ({} in all)",
                                   name, kFewestPoints, before));
    if (options_.max_points > 0 && points.rows() > options_.max_points) {
      Random random({options_.seed, set_.shapes.size()});
      points = random_subset(points, options_.max_points, random);
      ++thinned_;
    }
    set_.shapes.push_back({std::move(points), label_of(class_name), name});
  }

  /// For collections: what can't be used is counted, and the first few are named.
  template <class Load>
  void try_to(Load load) {
    try {
      load();
    } catch (const InputError& error) {
      constexpr std::size_t kNamed = 5;
      if (++skipped_ <= kNamed) note(fmt::format("skipped {}", error.what()));
    }
  }

  void add_classes(const std::vector<std::string>& names) {
    for (const std::string& name : names) label_of(name);
  }

  ShapeSet take(const std::string& source) {
    if (skipped_ > 5) note(fmt::format("{} more were skipped", skipped_ - 5));
    if (set_.shapes.empty())
      throw InputError(fmt::format("{}: holds nothing that can be used{}", source,
                                   notes_here_.empty() ? "" : "; " + notes_here_[0]));
    if (dropped_ > 0)
      note(fmt::format("{}: {} NaN or infinite points of {} shapes were dropped", source, dropped_,
                       shapes_with_dropped_));
    if (thinned_ > 0)
      note(fmt::format("{}: {} clouds were thinned out to {} points", source, thinned_,
                       options_.max_points));
    if (notes_) notes_->insert(notes_->end(), notes_here_.begin(), notes_here_.end());
    return std::move(set_);
  }

  void note(const std::string& what) { notes_here_.push_back(what); }
  std::vector<std::string>* notes() { return &notes_here_; }

 private:
  int label_of(const std::string& class_name) {
    if (class_name.empty()) return -1;
    const auto [found, is_new] =
        labels_.try_emplace(class_name, static_cast<int>(set_.class_names.size()));
    if (is_new) set_.class_names.push_back(class_name);
    return found->second;
  }

  const LoadOptions& options_;
  std::vector<std::string>* notes_;
  std::vector<std::string> notes_here_;
  ShapeSet set_;
  std::map<std::string, int> labels_;
  std::size_t dropped_ = 0, shapes_with_dropped_ = 0, thinned_ = 0, skipped_ = 0;
};

void collect_hdf5(const fs::path& path, const LoadOptions& options, Collector& collector) {
  ShapeSet set = load_hdf5(path, options.background);
  collector.add_classes(set.class_names);
  for (Shape& shape : set.shapes) {
    const std::string name =
        shape.label < 0 ? "" : set.class_names[static_cast<std::size_t>(shape.label)];
    collector.try_to([&] { collector.add(std::move(shape.points), name, shape.name); });
  }
}

void collect_bag(const fs::path& path, const LoadOptions& options, Collector& collector) {
  std::size_t missing = 0;
  const auto on_cloud = [&](const CloudMessage& message) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::string name =
        fmt::format("{} at {}.{:09d}", message.topic, message.receive_ns / kSecond,
                    message.receive_ns % kSecond);
    collector.try_to([&] {
      std::size_t broken = 0;
      Cloud points = to_cloud(message.cloud, &broken);
      missing += broken + drop_missing_returns(points);
      collector.add(std::move(points), "", name);
    });
    return true;
  };
  read_clouds(path, options.topic, on_cloud, collector.notes());
  if (missing > 0)
    collector.note(
        fmt::format("{}: {} missing returns (NaN or 0 0 0) were dropped", path.string(), missing));
}

void collect_depth(const fs::path& folder, Collector& collector) {
  for (const std::string& name : list_depth_frames(folder))
    collector.try_to([&] {
      DepthFrame frame = load_depth_frame(folder, name);
      collector.add(std::move(frame.points), "", frame.name);
    });
}

void collect_file(const fs::path& path, const std::string& class_name, const LoadOptions& options,
                  Collector& collector) {
  LoadOptions all_points = options;
  all_points.max_points = 0;  // the collector downsamples and counts
  collector.add(load_cloud(path, all_points, collector.notes()), class_name, path.string());
}

std::vector<fs::path> list_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink))
    if (entry.is_regular_file() && (is_cloud_file(entry.path()) || is_hdf5_file(entry.path())))
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The first folder below the top names the class, so that CLASS/train/FILE works too.
std::string class_of(const fs::path& folder, const fs::path& file) {
  const fs::path relative = file.lexically_relative(folder);
  return relative.has_parent_path() ? relative.begin()->string() : "";
}

void collect_folder(const fs::path& folder, const LoadOptions& options, Collector& collector) {
  const std::vector<fs::path> files = list_files(folder);
  if (files.empty())
    throw InputError(fmt::format("{}: holds no clouds, meshes, HDF5 files, depth frames or bag",
                                 folder.string()));
  for (const fs::path& file : files)
    collector.try_to([&] {
      if (is_hdf5_file(file)) {
        collect_hdf5(file, options, collector);
      } else {
        collect_file(file, class_of(folder, file), options, collector);
      }
    });
}

/// "procedural:COUNT[:SEED]"
ShapeSet load_procedural(const std::string& source, const LoadOptions& options) {
  const std::string_view rest = std::string_view(source).substr(kProcedural.size());
  const std::size_t colon = rest.find(':');
  const auto count = parse_integer(rest.substr(0, colon));
  const auto seed = colon == rest.npos
                        ? std::optional<std::int64_t>(static_cast<std::int64_t>(options.seed))
                        : parse_integer(rest.substr(colon + 1));
  constexpr std::int64_t kMost = 1'000'000;
  if (!count || *count < 1 || *count > kMost || !seed || *seed < 0)
    throw InputError(
        fmt::format("'{}': write procedural:COUNT or procedural:COUNT:SEED, for example "
                    "procedural:100:1",
                    source));
  return procedural_shapes(*count, options.mesh_points, static_cast<std::uint64_t>(*seed));
}

void collect(const std::string& source, const LoadOptions& options, Collector& collector) {
  const fs::path path(source);
  if (!fs::exists(path))
    throw InputError(fmt::format("{}: there is no such file or folder", source));
  if (is_bag(path)) return collect_bag(path, options, collector);
  if (fs::is_directory(path))
    return is_depth_folder(path) ? collect_depth(path, collector)
                                 : collect_folder(path, options, collector);
  if (is_hdf5_file(path)) return collect_hdf5(path, options, collector);
  if (is_hdf5_list(path)) {
    for (const fs::path& file : read_hdf5_list(path)) collect_hdf5(file, options, collector);
    return;
  }
  collect_file(path, "", options, collector);
}

}  // namespace

ShapeSet load_shapes(const std::string& source, const LoadOptions& options,
                     std::vector<std::string>* notes) {
  if (std::cmp_less(options.mesh_points, kFewestPoints))
    throw InputError(fmt::format("{} points a mesh are too few: at least {} are needed",
                                 options.mesh_points, kFewestPoints));
  if (source.starts_with(kProcedural)) return load_procedural(source, options);
  Collector collector(options, notes);
  collect(source, options, collector);
  return collector.take(source);
}

ShapeSet take_every(ShapeSet& shapes, std::int64_t n) {
  ShapeSet taken, left;
  taken.class_names = shapes.class_names;
  if (n <= 0) return taken;
  for (std::size_t i = 0; i < shapes.shapes.size(); ++i)
    (static_cast<std::int64_t>(i) % n == n - 1 ? taken : left)
        .shapes.push_back(std::move(shapes.shapes[i]));
  shapes.shapes = std::move(left.shapes);
  return taken;
}

void append_shapes(ShapeSet& all, ShapeSet more) {
  std::vector<int> renamed;
  for (const std::string& name : more.class_names) {
    const auto found = std::ranges::find(all.class_names, name);
    renamed.push_back(static_cast<int>(found - all.class_names.begin()));
    if (found == all.class_names.end()) all.class_names.push_back(name);
  }
  for (Shape& shape : more.shapes) {
    if (shape.label >= 0) shape.label = renamed[static_cast<std::size_t>(shape.label)];
    all.shapes.push_back(std::move(shape));
  }
}

std::uint32_t checksum_of(const ShapeSet& set) {
  std::uint32_t sum = 0;
  for (const Shape& shape : set.shapes) {
    const std::int64_t about[] = {shape.label, shape.points.rows()};
    sum = crc32_of(std::as_bytes(std::span(about)), sum);
    const std::span points(shape.points.data(), static_cast<std::size_t>(shape.points.size()));
    sum = crc32_of(std::as_bytes(points), sum);
  }
  return sum;
}

}  // namespace pointpng
