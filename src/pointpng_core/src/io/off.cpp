#include "io/off.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/surface.h"
#include "io/text.h"

namespace pointpng {
namespace {

/// Lines with content, comments taken off.
class Lines {
 public:
  explicit Lines(std::string_view text) : scanner_(text) {}
  std::string_view next() {
    while (auto line = scanner_.line()) {
      const std::string_view content = trimmed(line->substr(0, line->find('#')));
      if (!content.empty()) return content;
    }
    return {};
  }
  std::size_t remaining() const { return scanner_.remaining(); }

 private:
  TextScanner scanner_;
};

/// What follows the keyword on the first line: nothing, or the counts ("OFF8 6 0").
std::string_view after_keyword(const FileView& file, std::string_view line) {
  const std::size_t at = line.find("OFF");
  if (at > 4 || line.substr(0, at).find_first_not_of("STCN4n") != line.npos)
    file.fail("is not an OFF file (its first line has no 'OFF')");
  const std::string_view prefix = line.substr(0, at);
  if (prefix.find_first_of("4n") != prefix.npos)
    file.fail("is an OFF file of other than three dimensions");
  line.remove_prefix(at + 3);
  if (line.find("BINARY") != line.npos)
    file.fail("is a binary OFF file, which is not supported: convert it to text or PLY");
  return trimmed(line);
}

std::int64_t take_count(const FileView& file, std::string_view& line, const char* what) {
  const std::string_view field = next_field(line);
  const auto count = parse_integer(field);
  if (!count || *count < 0 || *count > std::numeric_limits<int>::max())
    file.fail(
        fmt::format("the OFF header has '{}' as its number of {}", field.substr(0, 40), what));
  return *count;
}

void read_vertex(const FileView& file, std::string_view line, Cloud& vertices, Eigen::Index row) {
  if (line.empty())
    file.fail(fmt::format("ends after {} of {} vertices: it is cut off", row, vertices.rows()));
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    const std::string_view field = next_field(line);
    const auto value = parse_number(field);
    if (!value)
      file.fail(fmt::format("vertex {} of the OFF file has '{}' where a coordinate should stand",
                            row, field.substr(0, 40)));
    vertices(row, axis) = static_cast<float>(*value);
  }
}

void read_face(const FileView& file, std::string_view line, std::int64_t vertices,
               std::vector<int>& corners) {
  const auto length = parse_integer(next_field(line));
  if (!length || *length < 0 || std::cmp_greater(*length, line.size()))
    file.fail("a face of the OFF file has an impossible number of corners");
  std::vector<int> polygon;
  for (std::int64_t i = 0; i < *length; ++i) {
    const auto corner = parse_integer(next_field(line));
    if (!corner || *corner < 0 || *corner >= vertices)
      file.fail(fmt::format("a face of the OFF file has a corner that is none of its {} vertices",
                            vertices));
    polygon.push_back(static_cast<int>(*corner));
  }
  append_fan(polygon, corners);
}

}  // namespace

Mesh read_off(const FileView& file) {
  Lines lines(file.text());
  std::string_view counts = after_keyword(file, lines.next());
  if (counts.empty()) counts = lines.next();
  const std::int64_t vertices = take_count(file, counts, "vertices");
  const std::int64_t faces = take_count(file, counts, "faces");
  // A vertex takes at least "0 0 0", a face at least "0", and a line break each.
  if (static_cast<std::uint64_t>(6 * vertices + 2 * faces) > lines.remaining() + 1)
    file.fail(
        fmt::format("the OFF header promises {} vertices and {} faces but only {} bytes follow",
                    vertices, faces, lines.remaining()));
  Mesh mesh;
  mesh.vertices.resize(vertices, 3);
  for (Eigen::Index row = 0; row < vertices; ++row)
    read_vertex(file, lines.next(), mesh.vertices, row);
  std::vector<int> corners;
  for (std::int64_t i = 0; i < faces; ++i) {
    const std::string_view line = lines.next();
    if (line.empty()) file.fail(fmt::format("ends after {} of {} faces: it is cut off", i, faces));
    read_face(file, line, vertices, corners);
  }
  mesh.triangles = to_triangles(corners);
  return mesh;
}

}  // namespace pointpng
