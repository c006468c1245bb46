#include "io/ply.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/point_layout.h"
#include "io/scalar.h"
#include "io/surface.h"
#include "io/text.h"

namespace pointpng {
namespace {

enum class Encoding { kAscii, kLittle, kBig };

struct Property {
  std::string name;
  Scalar type = Scalar::kFloat32;
  std::optional<Scalar> count_type;  // set: a list
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;

  bool has_list() const {
    return std::ranges::any_of(properties, [](const Property& p) { return !!p.count_type; });
  }
  // Bytes that a row takes at least: an empty list still has its count.
  std::size_t smallest_row() const {
    std::size_t size = 0;
    for (const Property& p : properties) size += size_of(p.count_type.value_or(p.type));
    return size;
  }
};

struct PlyHeader {
  Encoding encoding = Encoding::kAscii;
  std::vector<Element> elements;
  std::size_t size = 0;
};

Scalar parse_type(const FileView& file, std::string_view name) {
  static constexpr std::pair<std::string_view, Scalar> kTypes[] = {
      {"char", Scalar::kInt8},      {"int8", Scalar::kInt8},       {"uchar", Scalar::kUInt8},
      {"uint8", Scalar::kUInt8},    {"short", Scalar::kInt16},     {"int16", Scalar::kInt16},
      {"ushort", Scalar::kUInt16},  {"uint16", Scalar::kUInt16},   {"int", Scalar::kInt32},
      {"int32", Scalar::kInt32},    {"uint", Scalar::kUInt32},     {"uint32", Scalar::kUInt32},
      {"float", Scalar::kFloat32},  {"float32", Scalar::kFloat32}, {"double", Scalar::kFloat64},
      {"float64", Scalar::kFloat64}};
  for (const auto& [known, type] : kTypes)
    if (name == known) return type;
  file.fail(fmt::format("the PLY header has a property of unknown type '{}'", name));
}

Property parse_property(const FileView& file, std::string_view line) {
  Property property;
  std::string_view type = next_field(line);
  if (type == "list") {
    property.count_type = parse_type(file, next_field(line));
    type = next_field(line);
  }
  property.type = parse_type(file, type);
  property.name = next_field(line);
  if (property.name.empty()) file.fail("the PLY header has a property without a name");
  return property;
}

Encoding parse_encoding(const FileView& file, std::string_view name) {
  if (name == "ascii") return Encoding::kAscii;
  if (name == "binary_little_endian") return Encoding::kLittle;
  if (name == "binary_big_endian") return Encoding::kBig;
  file.fail(
      fmt::format("the PLY format '{}' is none of ascii, binary_little_endian and "
                  "binary_big_endian",
                  name));
}

Element parse_element(const FileView& file, std::string_view line) {
  Element element;
  element.name = next_field(line);
  const std::string_view count = next_field(line);
  const auto number = parse_integer(count);
  if (!number || *number < 0)
    file.fail(
        fmt::format("the PLY header has '{}' as the number of '{}' elements", count, element.name));
  element.count = static_cast<std::uint64_t>(*number);
  return element;
}

PlyHeader parse_ply_header(const FileView& file) {
  TextScanner scanner(file.text());
  if (trimmed(scanner.line().value_or("")) != "ply")
    file.fail("is not a PLY file (its first line is not 'ply')");
  PlyHeader header;
  bool has_format = false;
  while (auto line = scanner.line()) {
    std::string_view rest = *line;
    const std::string_view keyword = next_field(rest);
    if (keyword == "format") {
      header.encoding = parse_encoding(file, next_field(rest));
      has_format = true;
    } else if (keyword == "element") {
      header.elements.push_back(parse_element(file, rest));
    } else if (keyword == "property") {
      if (header.elements.empty()) file.fail("the PLY header has a property before any element");
      header.elements.back().properties.push_back(parse_property(file, rest));
    } else if (keyword == "end_header") {
      if (!has_format) file.fail("the PLY header has no 'format' line");
      header.size = scanner.position();
      return header;
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      file.fail(fmt::format("the PLY header has an unknown line starting with '{}'",
                            keyword.substr(0, 40)));
    }
  }
  file.fail("the PLY header has no 'end_header': the file is cut off or not a PLY file");
}

/// The numbers of the body, one after the other, whatever their encoding.
class Values {
 public:
  Values(const FileView& file, const PlyHeader& header)
      : file_(file),
        encoding_(header.encoding),
        position_(header.size),
        scanner_(file.text().substr(header.size)) {}

  double next(Scalar type) {
    if (encoding_ == Encoding::kAscii) return next_text();
    const std::size_t size = size_of(type);
    if (remaining() < size) fail_short();
    const double value = load_scalar(type, file_.bytes.data() + position_, order());
    position_ += size;
    return value;
  }

  const std::byte* take(std::size_t size) {
    const std::byte* begin = file_.bytes.data() + position_;
    position_ += size;
    return begin;
  }

  std::endian order() const {
    return encoding_ == Encoding::kBig ? std::endian::big : std::endian::little;
  }
  bool is_text() const { return encoding_ == Encoding::kAscii; }
  std::size_t remaining() const {
    return is_text() ? scanner_.remaining() : file_.bytes.size() - position_;
  }

 private:
  double next_text() {
    const auto token = scanner_.token();
    if (!token) fail_short();
    const auto value = parse_number(*token);
    if (!value) file_.fail(fmt::format("'{}' stands where a number should", token->substr(0, 40)));
    return *value;
  }
  [[noreturn]] void fail_short() const {
    file_.fail("ends before all elements that its PLY header promises: it is cut off");
  }

  const FileView& file_;
  Encoding encoding_;
  std::size_t position_;
  TextScanner scanner_;
};

/// Refuses a count that the rest of the file can't hold, before anything is allocated for it.
void check_count(const FileView& file, const Element& element, const Values& values) {
  // A number in text takes a digit and a separator.
  const std::size_t row = values.is_text() ? 2 * element.properties.size() : element.smallest_row();
  const std::size_t room = values.remaining() + (values.is_text() ? 1 : 0);
  if (row > 0 && element.count > room / row)
    file.fail(fmt::format("the PLY header promises {} '{}' elements but only {} bytes follow",
                          element.count, element.name, values.remaining()));
  if (row > 0 && element.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    file.fail(
        fmt::format("{} '{}' elements are more than can be indexed", element.count, element.name));
}

std::size_t list_length(const FileView& file, Values& values, Scalar count_type) {
  const double length = values.next(count_type);
  if (!(length >= 0) || length > static_cast<double>(values.remaining()))
    file.fail(fmt::format("a list in the PLY file has the impossible length {}", length));
  return static_cast<std::size_t>(length);
}

void skip_property(const FileView& file, Values& values, const Property& property) {
  std::size_t count = 1;
  if (property.count_type) count = list_length(file, values, *property.count_type);
  for (std::size_t i = 0; i < count; ++i) values.next(property.type);
}

void skip_element(const FileView& file, Values& values, const Element& element) {
  if (element.properties.empty()) return;
  for (std::uint64_t row = 0; row < element.count; ++row)
    for (const Property& property : element.properties) skip_property(file, values, property);
}

/// Which property is x, y and z.
std::array<std::size_t, 3> find_axes(const FileView& file, const Element& element) {
  std::array<std::size_t, 3> axes{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    const auto found = std::ranges::find(element.properties, name, &Property::name);
    if (found == element.properties.end() || found->count_type)
      file.fail(fmt::format("the PLY header has no '{}' property for its vertices", name));
    axes[axis] = static_cast<std::size_t>(found - element.properties.begin());
  }
  return axes;
}

PointLayout make_layout(const Element& element, const std::array<std::size_t, 3>& axes,
                        std::endian order) {
  PointLayout layout;
  layout.order = order;
  layout.stride = 0;
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axes[axis] != i) continue;
      layout.offset[axis] = layout.stride;
      layout.type[axis] = element.properties[i].type;
    }
    layout.stride += size_of(element.properties[i].type);
  }
  return layout;
}

Cloud read_vertices(const FileView& file, Values& values, const Element& element) {
  const auto axes = find_axes(file, element);
  Cloud points(static_cast<Eigen::Index>(element.count), 3);
  if (!values.is_text() && !element.has_list()) {
    const PointLayout layout = make_layout(element, axes, values.order());
    copy_points(values.take(layout.stride * element.count), layout, element.count, points);
    return points;
  }
  for (Eigen::Index row = 0; row < points.rows(); ++row) {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const auto axis = std::ranges::find(axes, i);
      if (axis == axes.end()) {
        skip_property(file, values, element.properties[i]);
      } else {
        points(row, axis - axes.begin()) =
            static_cast<float>(values.next(element.properties[i].type));
      }
    }
  }
  return points;
}

bool is_corner_list(const Property& property) {
  return property.count_type &&
         (property.name == "vertex_indices" || property.name == "vertex_index");
}

/// Corners of triangles, three each. They are checked once the number of vertices is known, as
/// faces may come first.
std::vector<int> read_faces(const FileView& file, Values& values, const Element& element) {
  std::vector<int> corners;
  std::vector<int> polygon;
  for (std::uint64_t row = 0; row < element.count; ++row) {
    for (const Property& property : element.properties) {
      if (!is_corner_list(property)) {
        skip_property(file, values, property);
        continue;
      }
      polygon.resize(list_length(file, values, *property.count_type));
      for (int& corner : polygon) {
        const double index = values.next(property.type);
        if (!(index >= 0 && index < std::numeric_limits<int>::max()))
          file.fail(fmt::format("a face in the PLY file has the impossible corner {}", index));
        corner = static_cast<int>(index);
      }
      append_fan(polygon, corners);
    }
  }
  return corners;
}

}  // namespace

Mesh read_ply(const FileView& file) {
  const PlyHeader header = parse_ply_header(file);
  Values values(file, header);
  Mesh mesh;
  std::vector<int> corners;
  bool has_vertices = false;
  for (const Element& element : header.elements) {
    check_count(file, element, values);
    if (element.name == "vertex" && !has_vertices) {
      mesh.vertices = read_vertices(file, values, element);
      has_vertices = true;
    } else if (element.name == "face" && !element.properties.empty()) {
      corners = read_faces(file, values, element);
    } else {
      skip_element(file, values, element);
    }
  }
  if (!has_vertices) file.fail("the PLY header has no 'vertex' element");
  for (const int corner : corners)
    if (corner >= mesh.vertices.rows())
      file.fail(fmt::format("a face in the PLY file has corner {} of {} vertices", corner,
                            mesh.vertices.rows()));
  mesh.triangles = to_triangles(corners);
  return mesh;
}

void write_ply(std::ostream& out, const Cloud& points) {
  out << "ply\nformat binary_little_endian 1.0\nelement vertex " << points.rows()
      << "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  out.write(reinterpret_cast<const char*>(points.data()),
            static_cast<std::streamsize>(points.size() * sizeof(float)));
}

}  // namespace pointpng
