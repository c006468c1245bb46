#include <algorithm>
#include <cmath>
#include <optional>
#include <unistd.h>

#include <Eigen/LU>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/cloud_file.h"
#include "pointpng/alignment.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kListName = "pairs.json";
constexpr const char* kTransform = "target_from_source";

json parse_list(const fs::path& path) {
  json list = json::parse(read_file(path), nullptr, false);
  if (list.is_discarded()) throw InputError(path.string() + ": is not valid JSON");
  if (!list.is_array() || list.empty())
    throw InputError(path.string() + ": must hold a list of pairs, [{\"source\": …}, …]");
  return list;
}

/// One entry of the list; error messages name it.
class Entry {
 public:
  Entry(const json& values, const fs::path& folder, std::size_t index)
      : values_(values), folder_(folder), index_(index) {
    if (!values.is_object()) fail("is no object");
  }

  PosePair load(std::vector<std::string>* notes) const {
    PosePair pair;
    pair.source = cloud("source", notes);
    pair.target = cloud("target", notes);
    pair.present = !(values_.contains(kTransform) && values_[kTransform].is_null());
    if (pair.present) pair.target_from_source = transform();
    if (!text("object", "").empty()) pair.object = cloud("object", notes);
    pair.source_viewpoint = vector("source_viewpoint");
    pair.target_viewpoint = vector("target_viewpoint");
    pair.source_up = vector("source_up");
    pair.target_up = vector("target_up");
    pair.centre_tolerance = tolerance(pair.centre_tolerance);
    pair.class_name = text("class", "");
    pair.kind = text("kind", pair.class_name);
    pair.name = text("name", text("source", ""));
    return pair;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: entry {} {}", (folder_ / kListName).string(), index_, what));
  }

  std::string text(const char* key, const std::string& otherwise) const {
    if (!values_.contains(key)) return otherwise;
    if (!values_[key].is_string()) fail(fmt::format("has a \"{}\" that is no text", key));
    return values_[key].get<std::string>();
  }

  Cloud cloud(const char* key, std::vector<std::string>* notes) const {
    const std::string file = text(key, "");
    if (file.empty()) fail(fmt::format("names no \"{}\" file", key));
    LoadOptions all_points;
    all_points.max_points = 0;
    return load_cloud(folder_ / file, all_points, notes);
  }

  double tolerance(double otherwise) const {
    const json value = values_.value("centre_tolerance", json(otherwise));
    if (!value.is_number() || !(value.get<double>() > 0.0))
      fail("has a \"centre_tolerance\" that is no share of the radius above 0");
    return value.get<double>();
  }

  std::optional<Eigen::Vector3d> vector(const char* key) const {
    if (!values_.contains(key)) return std::nullopt;
    const json& numbers = values_[key];
    if (!numbers.is_array() || numbers.size() != 3 ||
        !std::ranges::all_of(numbers, [](const json& value) { return value.is_number(); }))
      fail(fmt::format("has a \"{}\" that is not [x, y, z]", key));
    return Eigen::Vector3d(numbers[0], numbers[1], numbers[2]);
  }

  Eigen::Isometry3d transform() const {
    const json numbers = values_.value(kTransform, json());
    if (!numbers.is_array() || numbers.size() != 16)
      fail(fmt::format("has no \"{}\" of 16 numbers, row by row", kTransform));
    Eigen::Matrix4d matrix;
    for (std::size_t i = 0; i < 16; ++i) {
      if (!numbers[i].is_number())
        fail(fmt::format("has \"{}\" with what is no number", kTransform));
      matrix(static_cast<Eigen::Index>(i / 4), static_cast<Eigen::Index>(i % 4)) =
          numbers[i].get<double>();
    }
    return rigid(matrix);
  }

  Eigen::Isometry3d rigid(const Eigen::Matrix4d& matrix) const {
    constexpr double kTolerance = 1e-3;  // some write few digits
    const Eigen::Matrix3d linear = matrix.topLeftCorner<3, 3>();
    const double stretch = (linear * linear.transpose() - Eigen::Matrix3d::Identity()).norm();
    const double last_row = (matrix.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).norm();
    if (!(stretch < kTolerance) || !(last_row < kTolerance) || !matrix.allFinite())
      fail("has a \"target_from_source\" that is no rigid motion");
    if (linear.determinant() < 0)
      fail("has a \"target_from_source\" that mirrors, which no rigid motion does");
    Eigen::Isometry3d motion(Eigen::Quaterniond(linear).normalized());
    motion.translation() = matrix.topRightCorner<3, 1>();
    return motion;
  }

  const json& values_;
  const fs::path& folder_;
  std::size_t index_;
};

/// Removed at the end of the scope, unless it was renamed.
struct PartialFolder {
  fs::path path;
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// What is said about a pair, without its files.
json described(const PosePair& pair) {
  json entry = {{"kind", pair.kind}, {"class", pair.class_name}, {"name", pair.name}};
  entry[kTransform] = pair.present ? json(row_major(pair.target_from_source)) : json(nullptr);
  if (pair.centre_tolerance != PosePair{}.centre_tolerance)
    entry["centre_tolerance"] = pair.centre_tolerance;
  const auto add = [&](const char* key, const std::optional<Eigen::Vector3d>& vector) {
    if (vector) entry[key] = {vector->x(), vector->y(), vector->z()};
  };
  add("source_viewpoint", pair.source_viewpoint);
  add("target_viewpoint", pair.target_viewpoint);
  add("source_up", pair.source_up);
  add("target_up", pair.target_up);
  return entry;
}

void write_into(const fs::path& folder, const std::vector<PosePair>& pairs) {
  json list = json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string source = fmt::format("{:05d}-source.ply", i);
    const std::string target = fmt::format("{:05d}-target.ply", i);
    save_cloud(folder / source, pairs[i].source);
    save_cloud(folder / target, pairs[i].target);
    json entry = described(pairs[i]);
    entry["source"] = source;
    entry["target"] = target;
    list.push_back(std::move(entry));
    if (pairs[i].object.rows() == 0) continue;
    const std::string object = fmt::format("{:05d}-object.ply", i);
    save_cloud(folder / object, pairs[i].object);
    list.back()["object"] = object;
  }
  write_file_atomically(folder / kListName,
                        list.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

std::vector<PosePair> load_pairs(const fs::path& folder, std::vector<std::string>* notes) {
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{}: there is no such folder of pairs", folder.string()));
  const json list = parse_list(folder / kListName);
  std::vector<PosePair> pairs;
  for (std::size_t i = 0; i < list.size(); ++i)
    pairs.push_back(Entry(list[i], folder, i).load(notes));
  return pairs;
}

void save_pairs(const fs::path& folder, const std::vector<PosePair>& pairs) {
  if (fs::exists(folder))
    throw InputError(
        fmt::format("{} exists already; give the pairs a new folder", folder.string()));
  const fs::path place = folder.has_filename() ? folder : folder.parent_path();
  const PartialFolder partial{place.string() + fmt::format(".{}.partial", ::getpid())};
  std::error_code problem;
  fs::create_directories(partial.path, problem);
  if (!problem) {
    write_into(partial.path, pairs);
    fs::rename(partial.path, place, problem);
  }
  if (problem) throw Error(fmt::format("can't write {}: {}", folder.string(), problem.message()));
}

}  // namespace pointpng
