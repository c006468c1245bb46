#include "io/shape_bytes.h"

#include <cstdint>
#include <cstring>

#include "io/byte_reader.h"

namespace pointpng {
namespace {

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_text(std::string& out, const std::string& text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

}  // namespace

std::string pack_shapes(const ShapeSet& set) {
  std::string out;
  append(out, std::uint64_t{set.class_names.size()});
  for (const std::string& name : set.class_names) append_text(out, name);
  append(out, std::uint64_t{set.shapes.size()});
  for (const Shape& shape : set.shapes) {
    append(out, shape.label);
    append_text(out, shape.name);
    append(out, static_cast<std::uint64_t>(shape.points.rows()));
    out.append(reinterpret_cast<const char*>(shape.points.data()),
               static_cast<std::size_t>(shape.points.size()) * sizeof(float));
  }
  return out;
}

ShapeSet unpack_shapes(const std::string& bytes) {
  ByteReader in(std::as_bytes(std::span(bytes)));
  ShapeSet set;
  for (auto left = in.read<std::uint64_t>(); left > 0; --left)
    set.class_names.push_back(in.read_string());
  for (auto left = in.read<std::uint64_t>(); left > 0; --left) {
    Shape shape;
    shape.label = in.read<int>();
    shape.name = in.read_string();
    const auto rows = in.read<std::uint64_t>();
    const auto data = in.take(rows * 3 * sizeof(float));
    shape.points.resize(static_cast<Eigen::Index>(rows), 3);
    if (rows > 0) std::memcpy(shape.points.data(), data.data(), data.size());
    set.shapes.push_back(std::move(shape));
  }
  return set;
}

}  // namespace pointpng
