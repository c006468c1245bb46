#include "io/hdf5.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/plugin.h"
#include "io/hdf5_plugin.h"
#include "io/text.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

/// Resolves an entry of a list. The lists that come with ModelNet40 name their files from a
/// folder above the list.
fs::path resolved_against(const fs::path& list, const fs::path& entry) {
  const fs::path folder = list.parent_path();
  for (const fs::path& candidate : {folder / entry, folder / entry.filename(), entry})
    if (fs::is_regular_file(candidate)) return candidate;
  throw InputError(fmt::format("{}: lists '{}', which is neither there nor beside the list",
                               list.string(), entry.string()));
}

const Hdf5Plugin& hdf5_plugin() {
  using Entry = const Hdf5Plugin* (*)();
  static const Hdf5Plugin* const plugin = reinterpret_cast<Entry>(
      plugin_entry("libpointpng_hdf5.so.0", "pointpng_hdf5_plugin", "Support for HDF5 files"))();
  return *plugin;
}

}  // namespace

bool is_hdf5_file(const fs::path& path) {
  return path.extension() == ".h5" || path.extension() == ".hdf5";
}

ShapeSet load_hdf5(const fs::path& path, bool background) {
  const MappedFile readable(path);  // says clearly why a file can't be opened
  // HDF5 is known to corrupt memory and to loop on damaged files.
  constexpr std::size_t kBytesASecond = 1'000'000;
  const int seconds = 20 + static_cast<int>(readable.bytes().size() / kBytesASecond);
  return hdf5_plugin().load(path, background, seconds);
}

void save_hdf5(const fs::path& path, const ShapeSet& set) {
  if (set.shapes.empty()) throw InputError(path.string() + ": there are no shapes to write");
  for (const Shape& shape : set.shapes)
    if (shape.points.rows() != set.shapes[0].points.rows() || shape.points.rows() == 0)
      throw InputError(
          fmt::format("{}: shape '{}' has {} points and the first one {}; an HDF5 file "
                      "holds shapes of one size",
                      path.string(), shape.name, shape.points.rows(), set.shapes[0].points.rows()));
  write_file_atomically(path, hdf5_plugin().build_image(set));
}

bool is_hdf5_list(const fs::path& path) {
  if (path.extension() != ".txt" || !fs::is_regular_file(path)) return false;
  const MappedFile mapped(path);
  const auto bytes = mapped.bytes();
  constexpr std::size_t kLongestLine = 4096;
  TextScanner scanner(
      {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLongestLine)});
  while (auto line = scanner.line())
    if (!trimmed(*line).empty()) return is_hdf5_file(fs::path(trimmed(*line)));
  return false;
}

std::vector<fs::path> read_hdf5_list(const fs::path& path) {
  std::vector<fs::path> files;
  const std::string text = read_file(path);
  TextScanner scanner(text);
  while (auto line = scanner.line())
    if (!trimmed(*line).empty()) files.push_back(resolved_against(path, fs::path(trimmed(*line))));
  if (files.empty()) throw InputError(path.string() + ": lists no files");
  return files;
}

}  // namespace pointpng
