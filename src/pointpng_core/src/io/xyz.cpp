#include "io/xyz.h"

#include <cstdint>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "io/text.h"

namespace pointpng {
namespace {

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with("//") || line.starts_with('%');
}

/// The first three numbers of a line; false where it has no number first ("x,y,z") or a single one
/// (the number of points, as PTS files have).
bool read_point(std::string_view line, float (&point)[3], int& numbers) {
  numbers = 0;
  for (float& coordinate : point) {
    const auto value = parse_number(next_field(line));
    if (!value) return false;
    coordinate = static_cast<float>(*value);
    ++numbers;
  }
  return true;
}

/// An optional header: one line with column names or the number of points.
bool is_heading(std::string_view line, int numbers) {
  if (numbers == 1) {
    const auto count = parse_integer(next_field(line));
    return count && *count >= 0 && next_field(line).empty();
  }
  if (numbers != 0 || line.size() > 400) return false;
  for (const char c : line)
    if (static_cast<unsigned char>(c) < 32 && c != '\t') return false;
  return line.find_first_of("xX") != line.npos;
}

}  // namespace

Cloud read_xyz(const FileView& file) {
  std::vector<float> coordinates;
  TextScanner scanner(file.text());
  bool at_top = true;
  for (std::int64_t number = 1; auto found = scanner.line(); ++number) {
    const std::string_view line = trimmed(*found);
    if (line.empty() || is_comment(line)) continue;
    float point[3];
    int numbers = 0;
    if (read_point(line, point, numbers)) {
      coordinates.insert(coordinates.end(), point, point + 3);
    } else if (!at_top || !is_heading(line, numbers)) {
      file.fail(fmt::format("line {} does not start with three numbers x y z", number));
    }
    at_top = false;
  }
  if (coordinates.empty()) file.fail("has no lines with three numbers x y z");
  return Eigen::Map<const Cloud>(coordinates.data(),
                                 static_cast<Eigen::Index>(coordinates.size() / 3), 3);
}

void write_xyz(std::ostream& out, const Cloud& points) {
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    out << fmt::format("{} {} {}\n", points(i, 0), points(i, 1), points(i, 2));
}

}  // namespace pointpng
