#include "io/pcd.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/lzf.h"
#include "io/point_layout.h"
#include "io/scalar.h"
#include "io/text.h"

namespace pointpng {
namespace {

struct Field {
  std::string name;
  std::size_t size = 4;
  char kind = 'F';
  std::size_t count = 1;
  std::size_t bytes() const { return size * count; }
};

struct PcdHeader {
  std::vector<Field> fields;
  std::uint64_t points = 0;
  std::string encoding;
  std::size_t size = 0;  // bytes before the data

  std::size_t point_bytes() const {
    std::size_t sum = 0;
    for (const Field& field : fields) sum += field.bytes();
    return sum;
  }
  std::size_t numbers_a_point() const {
    std::size_t sum = 0;
    for (const Field& field : fields) sum += field.count;
    return sum;
  }
};

std::uint64_t parse_count(const FileView& file, std::string_view keyword, std::string_view token) {
  const auto value = parse_integer(token);
  if (!value || *value < 0)
    file.fail(fmt::format("the PCD header has '{}' as its {}", token.substr(0, 40), keyword));
  return static_cast<std::uint64_t>(*value);
}

/// Collects the header line by line; SIZE, TYPE and COUNT need FIELDS first, as PCL writes them.
class HeaderParser {
 public:
  explicit HeaderParser(const FileView& file) : file_(file) {}

  PcdHeader parse() {
    TextScanner scanner(file_.text());
    bool recognised = false;
    while (auto line = scanner.line()) {
      std::string_view rest = *line;
      const std::string_view keyword = next_field(rest);
      if (keyword.empty() || keyword.front() == '#') continue;
      if (!take(keyword, rest)) {
        if (!recognised) file_.fail("is not a PCD file (its first line is no PCD header)");
        file_.fail(fmt::format("the PCD header has an unknown line starting with '{}'",
                               keyword.substr(0, 40)));
      }
      recognised = true;
      if (keyword == "DATA") {
        header_.size = scanner.position();
        check();
        return header_;
      }
    }
    file_.fail("the PCD header has no DATA line: the file is empty, cut off or not a PCD file");
  }

 private:
  bool take(std::string_view keyword, std::string_view rest) {
    if (keyword == "VERSION" || keyword == "VIEWPOINT") return true;
    if (keyword == "FIELDS" || keyword == "COLUMNS") {
      for (auto name = next_field(rest); !name.empty(); name = next_field(rest))
        header_.fields.push_back({std::string(name)});
    } else if (keyword == "SIZE" || keyword == "TYPE" || keyword == "COUNT") {
      for (Field& field : header_.fields) take_field(field, keyword, next_field(rest));
    } else if (keyword == "WIDTH") {
      width_ = parse_count(file_, keyword, next_field(rest));
    } else if (keyword == "HEIGHT") {
      height_ = parse_count(file_, keyword, next_field(rest));
    } else if (keyword == "POINTS") {
      points_ = parse_count(file_, keyword, next_field(rest));
    } else if (keyword == "DATA") {
      header_.encoding = next_field(rest);
    } else {
      return false;
    }
    return true;
  }

  void take_field(Field& field, std::string_view keyword, std::string_view token) {
    if (keyword == "TYPE") {
      field.kind = token.size() == 1 ? token.front() : '?';
    } else {
      const std::uint64_t value = parse_count(file_, keyword, token);
      // 64 KiB per point and field is far beyond every descriptor in use.
      if (value == 0 || value > 65536)
        file_.fail(fmt::format("the PCD field '{}' has a {} of {}", field.name, keyword, value));
      (keyword == "SIZE" ? field.size : field.count) = value;
    }
  }

  void check() {
    if (header_.fields.empty()) file_.fail("the PCD header has no FIELDS");
    if (!points_ && !width_) file_.fail("the PCD header has neither POINTS nor WIDTH");
    const std::uint64_t width = width_.value_or(points_.value_or(0));
    const std::uint64_t height = height_.value_or(1);
    header_.points = points_.value_or(0);
    const bool fits = height == 0 || width <= UINT64_MAX / height;
    if (!points_ && fits) header_.points = width * height;
    if (!fits || width * height != header_.points)
      file_.fail(fmt::format("the PCD header contradicts itself: {} points but {} x {}",
                             header_.points, width, height));
  }

  const FileView& file_;
  PcdHeader header_;
  std::optional<std::uint64_t> width_, height_, points_;
};

Scalar scalar_of(const FileView& file, const Field& field) {
  const auto by_size = [&](Scalar one, Scalar two, Scalar four, Scalar eight) -> Scalar {
    switch (field.size) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        file.fail(fmt::format("the PCD field '{}' has {} bytes", field.name, field.size));
    }
  };
  if (field.kind == 'I')
    return by_size(Scalar::kInt8, Scalar::kInt16, Scalar::kInt32, Scalar::kInt64);
  if (field.kind == 'U')
    return by_size(Scalar::kUInt8, Scalar::kUInt16, Scalar::kUInt32, Scalar::kUInt64);
  if (field.kind == 'F' && field.size > 1)
    return by_size(Scalar::kFloat16, Scalar::kFloat16, Scalar::kFloat32, Scalar::kFloat64);
  file.fail(fmt::format("the PCD field '{}' has the unknown type {}{}", field.name, field.kind,
                        field.size));
}

/// Indices of the fields x, y and z.
std::array<std::size_t, 3> find_axes(const FileView& file, const PcdHeader& header) {
  std::array<std::size_t, 3> axes{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    const auto found = std::ranges::find(header.fields, name, &Field::name);
    if (found == header.fields.end())
      file.fail(fmt::format("the PCD file has no field '{}'", name));
    axes[axis] = static_cast<std::size_t>(found - header.fields.begin());
  }
  return axes;
}

[[noreturn]] void fail_short(const FileView& file, const PcdHeader& header, std::size_t room) {
  file.fail(
      fmt::format("the PCD header promises {} points but only {} bytes follow: it is cut off "
                  "or its header lies",
                  header.points, room));
}

Cloud read_text(const FileView& file, const PcdHeader& header) {
  const auto axes = find_axes(file, header);
  TextScanner scanner(file.text().substr(header.size));
  // A number in text takes a digit and a separator.
  if (header.points > (scanner.remaining() + 1) / (2 * header.numbers_a_point()))
    fail_short(file, header, scanner.remaining());
  Cloud points(static_cast<Eigen::Index>(header.points), 3);
  for (Eigen::Index row = 0; row < points.rows(); ++row) {
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      for (std::size_t k = 0; k < header.fields[i].count; ++k) {
        const auto token = scanner.token();
        if (!token) file.fail(fmt::format("ends after {} of {} points", row, header.points));
        const auto axis = std::ranges::find(axes, i);
        if (axis == axes.end() || k > 0) continue;
        const auto value = parse_number(*token);
        if (!value)
          file.fail(fmt::format("'{}' stands where a coordinate should", token->substr(0, 40)));
        points(row, axis - axes.begin()) = static_cast<float>(*value);
      }
    }
  }
  return points;
}

/// The points of a block whose records are interleaved, as in memory.
Cloud read_binary(const FileView& file, const PcdHeader& header) {
  const auto body = file.bytes.subspan(header.size);
  const auto axes = find_axes(file, header);
  PointLayout layout;
  layout.stride = header.point_bytes();
  if (header.points > body.size() / layout.stride) fail_short(file, header, body.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    layout.type[axis] = scalar_of(file, header.fields[axes[axis]]);
    layout.offset[axis] = 0;
    for (std::size_t i = 0; i < axes[axis]; ++i) layout.offset[axis] += header.fields[i].bytes();
  }
  Cloud points(static_cast<Eigen::Index>(header.points), 3);
  copy_points(body.data(), layout, header.points, points);
  return points;
}

std::vector<std::byte> decompress_body(const FileView& file, const PcdHeader& header) {
  const auto body = file.bytes.subspan(header.size);
  if (body.size() < 8) fail_short(file, header, body.size());
  const auto compressed = load_as<std::uint32_t>(body.data(), std::endian::little);
  const auto uncompressed = load_as<std::uint32_t>(body.data() + 4, std::endian::little);
  if (compressed > body.size() - 8)
    file.fail(fmt::format("promises {} compressed bytes but only {} follow: it is cut off",
                          compressed, body.size() - 8));
  // LZF expands three bytes to at most 264.
  if (uncompressed / 88 > compressed || header.points > uncompressed / header.point_bytes())
    file.fail(fmt::format("its compressed PCD data of {} bytes can't hold {} points", compressed,
                          header.points));
  std::vector<std::byte> out(uncompressed);
  if (!lzf_decompress(body.subspan(8, compressed), out))
    file.fail("its compressed PCD data is damaged");
  return out;
}

/// Compressed PCD stores all x, then all y, …
Cloud read_compressed(const FileView& file, const PcdHeader& header) {
  const auto axes = find_axes(file, header);
  const auto body = decompress_body(file, header);
  Cloud points(static_cast<Eigen::Index>(header.points), 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Scalar type = scalar_of(file, header.fields[axes[axis]]);
    const std::size_t stride = header.fields[axes[axis]].bytes();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < axes[axis]; ++i) begin += header.fields[i].bytes() * header.points;
    for (std::size_t row = 0; row < header.points; ++row)
      points(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(axis)) = static_cast<float>(
          load_scalar(type, body.data() + begin + row * stride, std::endian::little));
  }
  return points;
}

}  // namespace

Cloud read_pcd(const FileView& file) {
  const PcdHeader header = HeaderParser(file).parse();
  if (header.encoding == "ascii") return read_text(file, header);
  if (header.encoding == "binary") return read_binary(file, header);
  if (header.encoding == "binary_compressed") return read_compressed(file, header);
  file.fail(fmt::format("the PCD data is '{}', none of ascii, binary and binary_compressed",
                        header.encoding.substr(0, 40)));
}

void write_pcd(std::ostream& out, const Cloud& points) {
  out << "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\n"
         "TYPE F F F\nCOUNT 1 1 1\nWIDTH "
      << points.rows() << "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " << points.rows()
      << "\nDATA binary\n";
  out.write(reinterpret_cast<const char*>(points.data()),
            static_cast<std::streamsize>(points.size() * sizeof(float)));
}

}  // namespace pointpng
