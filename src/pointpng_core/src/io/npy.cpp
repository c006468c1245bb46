#include "io/npy.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/point_layout.h"
#include "io/scalar.h"
#include "io/text.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyHeader {
  Scalar type = Scalar::kFloat32;
  std::endian order = std::endian::little;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // bytes before the data
};

/// The text after "'key':" in the Python dictionary of the header.
std::string_view value_of(const FileView& file, std::string_view dictionary, std::string_view key) {
  std::size_t at = dictionary.find(fmt::format("'{}'", key));
  if (at == dictionary.npos) at = dictionary.find(fmt::format("\"{}\"", key));
  const std::size_t colon = at == dictionary.npos ? at : dictionary.find(':', at);
  if (colon == dictionary.npos) file.fail(fmt::format("the NPY header has no '{}'", key));
  return trimmed(dictionary.substr(colon + 1));
}

void parse_type(const FileView& file, std::string_view text, NpyHeader& header) {
  const std::string_view code =
      text.size() < 5 ? "" : text.substr(1, text.find_first_of("'\"", 1) - 1);
  static constexpr std::pair<std::string_view, Scalar> kTypes[] = {
      {"f2", Scalar::kFloat16}, {"f4", Scalar::kFloat32}, {"f8", Scalar::kFloat64},
      {"i1", Scalar::kInt8},    {"i2", Scalar::kInt16},   {"i4", Scalar::kInt32},
      {"i8", Scalar::kInt64},   {"u1", Scalar::kUInt8},   {"u2", Scalar::kUInt16},
      {"u4", Scalar::kUInt32},  {"u8", Scalar::kUInt64}};
  for (const auto& [name, type] : kTypes) {
    if (code.size() != 3 || code.substr(1) != name) continue;
    header.type = type;
    header.order = code[0] == '>' ? std::endian::big : std::endian::little;
    return;
  }
  file.fail(fmt::format("the NPY array has the type '{}'; floats or integers are needed",
                        code.substr(0, 40)));
}

void parse_shape(const FileView& file, std::string_view text, NpyHeader& header) {
  if (!text.starts_with('(')) file.fail("the NPY header has no shape");
  std::string_view inside = text.substr(1, text.find(')') - 1);
  for (auto field = next_field(inside); !field.empty(); field = next_field(inside)) {
    const auto extent = parse_integer(field);
    if (!extent || *extent < 0)
      file.fail(fmt::format("the NPY header has '{}' in its shape", field.substr(0, 40)));
    header.shape.push_back(static_cast<std::uint64_t>(*extent));
  }
  if (header.shape.size() != 2 || header.shape[1] < 3)
    file.fail("the NPY array is not N x 3 (or wider): one row a point is needed");
}

NpyHeader parse_header(const FileView& file) {
  if (!file.text().starts_with(kMagic) || file.bytes.size() < 12)
    file.fail("is not an NPY file (it does not start with \\x93NUMPY)");
  const int version = std::to_integer<int>(file.bytes[6]);
  if (version < 1 || version > 3)
    file.fail(fmt::format("is NPY version {}; 1 to 3 are known", version));
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::byte* length_at = file.bytes.data() + 8;
  const std::size_t length = version == 1 ? load_as<std::uint16_t>(length_at, std::endian::little)
                                          : load_as<std::uint32_t>(length_at, std::endian::little);
  if (length > file.bytes.size() - begin)
    file.fail(fmt::format("promises an NPY header of {} bytes and has {}: it is cut off", length,
                          file.bytes.size() - begin));
  const std::string_view dictionary = file.text().substr(begin, length);
  NpyHeader header;
  header.size = begin + length;
  parse_type(file, value_of(file, dictionary, "descr"), header);
  parse_shape(file, value_of(file, dictionary, "shape"), header);
  header.fortran = value_of(file, dictionary, "fortran_order").starts_with("True");
  return header;
}

}  // namespace

Cloud read_npy(const FileView& file) {
  const NpyHeader header = parse_header(file);
  const std::uint64_t rows = header.shape[0];
  const std::uint64_t columns = header.shape[1];
  const std::size_t item = size_of(header.type);
  const auto body = file.bytes.subspan(header.size);
  if (rows > 0 && (columns > body.size() / item || rows > body.size() / (item * columns)))
    file.fail(fmt::format("the NPY header promises {} x {} numbers but only {} bytes follow", rows,
                          columns, body.size()));
  Cloud points(static_cast<Eigen::Index>(rows), 3);
  PointLayout layout;
  layout.order = header.order;
  layout.stride = header.fortran ? item : item * columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    layout.type[axis] = header.type;
    layout.offset[axis] = axis * item * (header.fortran ? rows : 1);
  }
  copy_points(body.data(), layout, rows, points);
  return points;
}

void write_npy_rows(
    std::ostream& out,
    const Eigen::Ref<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>&
        rows) {
  std::string header = fmt::format(
      "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows.rows(), rows.cols());
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const char length[2] = {static_cast<char>(header.size() & 0xFF),
                          static_cast<char>(header.size() >> 8)};
  out.write(kMagic.data(), static_cast<std::streamsize>(kMagic.size()));
  out.write("\x01\x00", 2).write(length, 2) << header;
  out.write(reinterpret_cast<const char*>(rows.data()),
            static_cast<std::streamsize>(rows.size() * sizeof(float)));
}

}  // namespace pointpng
