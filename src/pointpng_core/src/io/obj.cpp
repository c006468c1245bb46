#include "io/obj.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/surface.h"
#include "io/text.h"

namespace pointpng {
namespace {

void read_vertex(const FileView& file, std::string_view line, std::vector<float>& coordinates) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::string_view field = next_field(line);
    const auto value = parse_number(field);
    if (!value)
      file.fail(fmt::format("vertex {} of the OBJ file has '{}' where a coordinate should stand",
                            coordinates.size() / 3 + 1, field.substr(0, 40)));
    coordinates.push_back(static_cast<float>(*value));
  }
}

/// "7", "7/1", "7//3", "-1/…": the vertex is the number before the first slash, counted from 1, or
/// backwards from the latest one.
std::int64_t corner_index(const FileView& file, std::string_view field, std::int64_t vertices) {
  const auto number = parse_integer(field.substr(0, field.find('/')));
  if (!number || *number == 0)
    file.fail(fmt::format("a face of the OBJ file has '{}' as a corner", field.substr(0, 40)));
  return *number > 0 ? *number - 1 : vertices + *number;
}

}  // namespace

Mesh read_obj(const FileView& file) {
  std::vector<float> coordinates;
  std::vector<int> corners;
  std::vector<int> polygon;
  std::int64_t largest = -1;
  TextScanner scanner(file.text());
  while (auto found = scanner.line()) {
    std::string_view line = *found;
    const std::string_view keyword = next_field(line);
    const auto vertices = static_cast<std::int64_t>(coordinates.size() / 3);
    if (keyword == "v") {
      read_vertex(file, line, coordinates);
    } else if (keyword == "f") {
      polygon.clear();
      for (auto field = next_field(line); !field.empty(); field = next_field(line)) {
        const std::int64_t corner = corner_index(file, field, vertices);
        if (corner < 0 || corner > std::numeric_limits<int>::max())
          file.fail(fmt::format("a face of the OBJ file has the impossible corner '{}'",
                                field.substr(0, 40)));
        largest = std::max(largest, corner);
        polygon.push_back(static_cast<int>(corner));
      }
      append_fan(polygon, corners);
    }
  }
  if (coordinates.empty()) file.fail("has no vertices ('v' lines): it is empty or not an OBJ file");
  Mesh mesh;
  mesh.vertices = Eigen::Map<const Cloud>(coordinates.data(),
                                          static_cast<Eigen::Index>(coordinates.size() / 3), 3);
  // Checked at the end: faces may name vertices that come later.
  if (largest >= mesh.vertices.rows())
    file.fail(fmt::format("a face of the OBJ file has corner {} of {} vertices", largest + 1,
                          mesh.vertices.rows()));
  mesh.triangles = to_triangles(corners);
  return mesh;
}

}  // namespace pointpng
