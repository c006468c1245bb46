#include <algorithm>
#include <cstdint>
#include <hdf5.h>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/rows.h"
#include "io/hdf5_plugin.h"
#include "io/isolated.h"
#include "io/shape_bytes.h"
#include "io/text.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

/// The library is not thread-safe and prints its errors: serialises access, silences errors.
class Library {
 public:
  Library() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Library() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// An HDF5 object that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// One dataset of a file, with its extents checked against what the file really stores.
class Dataset {
 public:
  Dataset(const fs::path& path, hid_t file, const char* name)
      : path_(path),
        name_(name),
        set_(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose),
        type_(set_.valid() ? H5Dget_type(set_) : -1, H5Tclose) {
    if (!set_.valid() || !type_.valid()) fail("can't be opened");
    const Handle space(H5Dget_space(set_), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 3) fail("has an impossible number of dimensions");
    extents_.resize(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, extents_.data(), nullptr);
    check_storage();
  }

  const std::vector<hsize_t>& extents() const { return extents_; }
  H5T_class_t kind() const { return H5Tget_class(type_); }
  std::size_t count() const {
    std::size_t product = 1;
    for (const hsize_t extent : extents_) product *= extent;
    return product;
  }

  template <class T>
  std::vector<T> read(hid_t memory_type) const {
    std::vector<T> values(count());
    read_into(memory_type, values.data());
    return values;
  }

  std::vector<std::string> read_strings() const {
    if (kind() != H5T_STRING) fail("does not hold text");
    const Handle memory_type(H5Tcopy(type_), H5Tclose);
    return H5Tis_variable_str(type_) > 0 ? read_variable(memory_type) : read_fixed(memory_type);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: the dataset '{}' {}", path_.string(), name_, what));
  }

 private:
  // Extents are a few bytes in the file and may claim anything.
  void check_storage() const {
    constexpr double kBestCompression = 1100;  // of deflate
    double bytes = static_cast<double>(H5Tget_size(type_));
    for (const hsize_t extent : extents_) bytes *= static_cast<double>(extent);
    const double stored = static_cast<double>(H5Dget_storage_size(set_));
    if (stored > static_cast<double>(fs::file_size(path_)) || bytes > stored * kBestCompression)
      fail(fmt::format("promises {:.0f} bytes but the file stores {:.0f}", bytes, stored));
  }

  void read_into(hid_t memory_type, void* out) const {
    if (H5Dread(set_, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
      fail("can't be read: the file is damaged or cut off");
  }

  std::vector<std::string> read_variable(hid_t memory_type) const {
    std::vector<char*> raw(count(), nullptr);
    read_into(memory_type, static_cast<void*>(raw.data()));
    std::vector<std::string> texts;
    for (const char* text : raw) texts.emplace_back(text ? text : "");
    const Handle space(H5Dget_space(set_), H5Sclose);
    H5Dvlen_reclaim(memory_type, space, H5P_DEFAULT, static_cast<void*>(raw.data()));
    return texts;
  }

  std::vector<std::string> read_fixed(hid_t memory_type) const {
    const std::size_t size = H5Tget_size(type_);
    std::vector<char> raw(count() * size);
    read_into(memory_type, static_cast<void*>(raw.data()));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count(); ++i) {
      const std::string text(raw.data() + i * size, size);
      texts.emplace_back(trimmed(std::string_view(text).substr(0, text.find('\0'))));
    }
    return texts;
  }

  const fs::path& path_;
  const char* name_;
  Handle set_;
  Handle type_;
  std::vector<hsize_t> extents_;
};

bool has(hid_t file, const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

void read_points(const fs::path& path, hid_t file, ShapeSet& set) {
  if (!has(file, "data"))
    throw InputError(fmt::format("{}: has no dataset 'data' (N x P x 3 points)", path.string()));
  const Dataset data(path, file, "data");
  const auto& extents = data.extents();
  if (extents.size() != 3 || extents[2] != 3) data.fail("is not N x P x 3");
  if (data.kind() != H5T_FLOAT) data.fail("does not hold floating point numbers");
  if (data.count() == 0) data.fail("is empty");
  const std::vector<float> values = data.read<float>(H5T_NATIVE_FLOAT);
  const auto points = static_cast<Eigen::Index>(extents[1]);
  set.shapes.resize(extents[0]);
  for (std::size_t i = 0; i < set.shapes.size(); ++i) {
    set.shapes[i].points = Eigen::Map<const Cloud>(values.data() + i * extents[1] * 3, points, 3);
    set.shapes[i].name = fmt::format("{}#{}", path.filename().string(), i);
  }
}

void read_labels(const fs::path& path, hid_t file, ShapeSet& set) {
  constexpr std::int64_t kMostClasses = 1'000'000;
  const Dataset data(path, file, "label");
  if (data.kind() != H5T_INTEGER) data.fail("does not hold integers");
  if (data.count() != set.shapes.size())
    data.fail(fmt::format("has {} labels for {} shapes", data.count(), set.shapes.size()));
  const auto labels = data.read<std::int64_t>(H5T_NATIVE_INT64);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= kMostClasses) data.fail(fmt::format("has the impossible label {}", labels[i]));
    set.shapes[i].label = static_cast<int>(std::max<std::int64_t>(labels[i], -1));
  }
}

void read_names(const fs::path& path, hid_t file, ShapeSet& set) {
  const Dataset data(path, file, "name");
  const auto names = data.read_strings();
  if (names.size() != set.shapes.size())
    data.fail(fmt::format("has {} names for {} shapes", names.size(), set.shapes.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) set.shapes[i].name = names[i];
}

/// Leaves out the points that ScanObjectNN's mask calls background.
void drop_background(const fs::path& path, hid_t file, ShapeSet& set) {
  if (!has(file, "mask"))
    throw InputError(fmt::format(
        "{}: has no dataset 'mask' that would tell the background from the object", path.string()));
  const Dataset data(path, file, "mask");
  const auto points = static_cast<std::size_t>(set.shapes[0].points.rows());
  if (data.count() != set.shapes.size() * points)
    data.fail(fmt::format("has {} values for {} shapes of {} points", data.count(),
                          set.shapes.size(), points));
  const auto mask = data.read<float>(H5T_NATIVE_FLOAT);
  for (std::size_t i = 0; i < set.shapes.size(); ++i) {
    std::vector<std::int64_t> object;
    for (std::size_t j = 0; j < points; ++j)
      if (mask[i * points + j] >= 0.0F) object.push_back(static_cast<std::int64_t>(j));
    set.shapes[i].points = rows_at(set.shapes[i].points, object);
  }
}

/// ModelNet40's own files keep the names beside them, in shape_names.txt.
std::vector<std::string> names_beside(const fs::path& path) {
  const fs::path list = path.parent_path() / "shape_names.txt";
  std::vector<std::string> names;
  if (!fs::is_regular_file(list)) return names;
  const std::string text = read_file(list);
  TextScanner scanner(text);
  while (auto line = scanner.line())
    if (!trimmed(*line).empty()) names.emplace_back(trimmed(*line));
  return names;
}

void name_classes(const fs::path& path, hid_t file, ShapeSet& set) {
  int largest = -1;
  for (const Shape& shape : set.shapes) largest = std::max(largest, shape.label);
  if (has(file, "shape_names")) {
    set.class_names = Dataset(path, file, "shape_names").read_strings();
    if (std::cmp_greater_equal(largest, set.class_names.size()))
      throw InputError(fmt::format("{}: has label {} but only {} 'shape_names'", path.string(),
                                   largest, set.class_names.size()));
    return;
  }
  set.class_names = names_beside(path);
  for (auto i = static_cast<int>(set.class_names.size()); i <= largest; ++i)
    set.class_names.push_back(fmt::format("class {}", i));
}

ShapeSet read_shapes(const fs::path& path, bool background) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid())
    throw InputError(fmt::format("{}: is not an HDF5 file, or a damaged one", path.string()));
  ShapeSet set;
  read_points(path, file, set);
  if (has(file, "label")) read_labels(path, file, set);
  if (has(file, "name")) read_names(path, file, set);
  name_classes(path, file, set);
  if (!background) drop_background(path, file, set);
  return set;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void write_dataset(hid_t file, const char* name, hid_t type, std::vector<hsize_t> extents,
                   const void* values) {
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose);
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  if (!set.valid() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    throw Error(fmt::format("HDF5 could not build the dataset '{}'", name));
}

void write_strings(hid_t file, const char* name, const std::vector<std::string>& texts) {
  std::vector<const char*> raw;
  for (const std::string& text : texts) raw.push_back(text.c_str());
  write_dataset(file, name, text_type(), {raw.size()}, static_cast<const void*>(raw.data()));
}

void write_shapes(hid_t file, const ShapeSet& set) {
  const hsize_t count = set.shapes.size();
  const auto points = static_cast<hsize_t>(set.shapes[0].points.rows());
  std::vector<float> data;
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
  for (const Shape& shape : set.shapes) {
    data.insert(data.end(), shape.points.data(), shape.points.data() + shape.points.size());
    labels.push_back(shape.label);
    names.push_back(shape.name);
  }
  write_dataset(file, "data", H5T_NATIVE_FLOAT, {count, points, 3}, data.data());
  write_dataset(file, "label", H5T_NATIVE_INT64, {count, 1}, labels.data());
  write_strings(file, "name", names);
  if (!set.class_names.empty()) write_strings(file, "shape_names", set.class_names);
}

std::string build_image(const ShapeSet& set) {
  const Library library;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr std::size_t kGrowth = std::size_t{1} << 20;
  H5Pset_fapl_core(access, kGrowth, false);
  const Handle file(H5Fcreate("image.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  if (!file.valid()) throw Error("HDF5 could not build a file in memory");
  write_shapes(file, set);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) throw Error("HDF5 could not build a file in memory");
  std::string image(static_cast<std::size_t>(size), '\0');
  H5Fget_file_image(file, image.data(), image.size());
  return image;
}

ShapeSet load(const fs::path& path, bool background, int cpu_seconds) {
  const Library library;
  const auto packed =
      run_isolated([&] { return pack_shapes(read_shapes(path, background)); }, cpu_seconds);
  if (!packed)
    throw InputError(
        fmt::format("{}: is a damaged HDF5 file: reading it makes HDF5 crash", path.string()));
  return unpack_shapes(*packed);
}

}  // namespace
}  // namespace pointpng

extern "C" const pointpng::Hdf5Plugin* pointpng_hdf5_plugin() {
  static constexpr pointpng::Hdf5Plugin plugin{.load = pointpng::load,
                                               .build_image = pointpng::build_image};
  return &plugin;
}
