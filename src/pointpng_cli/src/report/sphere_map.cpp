#include "report/sphere_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "report/colour_bar.h"
#include "report/format.h"

namespace pointpng {
namespace {

constexpr double kRadians = std::numbers::pi / 180.0;
constexpr double kMapMargin = 14, kMapTitle = 24, kMapGap = 18, kMapLegend = 46;

/// Position of one panel in the drawing.
struct Place {
  PicturePoint middle;
  double unit = 1.0;  ///< half the map's height

  PicturePoint at(double longitude_deg, double latitude_deg) const {
    const PicturePoint flat = mollweide(longitude_deg, latitude_deg);
    return {middle.x + unit * flat.x, middle.y - unit * flat.y};
  }
};

double share_of(const SphereMaps& maps, double value) {
  return maps.high > maps.low ? (value - maps.low) / (maps.high - maps.low) : 0.0;
}

void draw_cells(Picture& picture, const SphereMaps& maps, const SpherePanel& panel,
                const Place& place) {
  const double height = 180.0 / static_cast<double>(panel.latitudes);
  const double width = 360.0 / static_cast<double>(panel.longitudes);
  for (std::int64_t row = 0; row < panel.latitudes; ++row)
    for (std::int64_t column = 0; column < panel.longitudes; ++column) {
      const double south = -90.0 + height * static_cast<double>(row);
      const double west = -180.0 + width * static_cast<double>(column);
      const double value = panel.values[static_cast<std::size_t>(row * panel.longitudes + column)];
      MarkMeaning meaning;
      if (maps.tips)
        meaning.tip =
            fmt::format("axis at longitude {:.0f}°, latitude {:.0f}°: {} {}{}", west + width / 2,
                        south + height / 2, maps.value_name, format_number(value, 3), maps.unit);
      Paint paint;
      paint.fill = sequence_colour(share_of(maps, value));
      picture.polygon({place.at(west, south), place.at(west + width, south),
                       place.at(west + width, south + height), place.at(west, south + height)},
                      paint, std::move(meaning), true);
    }
}

/// The map's edge, meridians every 60° and parallels every 30°.
void draw_lines(Picture& picture, const Place& place) {
  Paint thin;
  thin.stroke = {"", 255, 255, 255};
  thin.width = 0.6;
  thin.opacity = 0.35;
  const auto meridian = [&](double longitude) {
    std::vector<PicturePoint> points;
    for (int latitude = -90; latitude <= 90; latitude += 5)
      points.push_back(place.at(longitude, latitude));
    return points;
  };
  for (int longitude = -120; longitude <= 120; longitude += 60)
    picture.line(meridian(longitude), thin);
  for (int latitude = -60; latitude <= 60; latitude += 30)
    picture.line({place.at(-180, latitude), place.at(180, latitude)}, thin);
  std::vector<PicturePoint> edge = meridian(-180), back = meridian(180);
  edge.insert(edge.end(), back.rbegin(), back.rend());
  Paint rim;
  rim.stroke = Colour::of_theme("soft");
  picture.polygon(std::move(edge), rim);
}

/// Names of the axes, on maps that are large enough.
void name_axes(Picture& picture, const Place& place) {
  struct Named {
    const char* name;
    double longitude, latitude;
  };
  constexpr double kSmallest = 120;
  if (place.unit < kSmallest) return;
  for (const Named& axis : {Named{"x", 0, 0}, Named{"y", 90, 0}, Named{"−y", -90, 0},
                            Named{"z", 0, 82}, Named{"−z", 0, -85}}) {
    const PicturePoint at = place.at(axis.longitude, axis.latitude);
    picture.text({at.x + 9, at.y - 5}, axis.name, 12, TextAnchor::kMiddle, {"", 255, 255, 255});
  }
}

/// Dark outline under light, so that a mark is visible on every colour.
void draw_mark(Picture& picture, PicturePoint at, bool star, double size, MarkMeaning meaning) {
  const Colour light{"", 255, 255, 255}, dark{"", 16, 20, 28};
  Paint paint;
  paint.stroke = dark;
  if (star) {
    paint.fill = light;
    picture.star(at, 0.95 * size, paint, std::move(meaning));
    return;
  }
  paint.width = 3.6;
  picture.circle(at, size, paint);
  paint.stroke = light;
  paint.width = 1.8;
  picture.circle(at, size, paint, std::move(meaning));
}

void draw_marks(Picture& picture, const SpherePanel& panel, const Place& place) {
  const double size = std::clamp(0.05 * place.unit, 5.0, 9.0);
  for (const SphereMark& mark : panel.marks) {
    const PicturePoint at = place.at(mark.longitude_deg, mark.latitude_deg);
    draw_mark(picture, at, mark.star, size, {mark.tip});
    if (mark.label.empty()) continue;
    // A label has its own background and stays inside the map.
    const bool left = at.x > place.middle.x;
    const double width = text_width(mark.label, 12) + 8;
    const double x = left ? at.x - size - 5 - width : at.x + size + 5;
    Paint ground;
    ground.fill = {"", 16, 20, 28};
    ground.opacity = 0.78;
    picture.polygon({{x, at.y - 9}, {x + width, at.y - 9}, {x + width, at.y + 8}, {x, at.y + 8}},
                    ground);
    picture.text({x + width / 2, at.y + 4}, mark.label, 12, TextAnchor::kMiddle,
                 {"", 255, 255, 255}, true);
  }
}

/// Colour scale and marks.
void draw_legend(Picture& picture, const SphereMaps& maps, double top) {
  constexpr double kBar = 240, kHigh = kColourBarHeight;
  const std::string low = format_number(maps.low, 3) + maps.unit;
  picture.text({kMapMargin, top + kHigh - 1}, maps.value_name, 12, TextAnchor::kStart,
               Colour::of_theme("ink"), true);
  double x = kMapMargin + text_width(maps.value_name, 12) + 14;
  picture.text({x, top + kHigh - 1}, low, 12, TextAnchor::kStart);
  x += text_width(low, 12) + 8;
  draw_colour_bar(picture, {x, top}, kBar, sequence_colour);
  x += kBar + 8;
  const std::string high = format_number(maps.high, 3) + maps.unit;
  picture.text({x, top + kHigh - 1}, high, 12, TextAnchor::kStart);
  x += text_width(high, 12) + 40;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, maps.mark_names.size()); ++i) {
    if (maps.mark_names[i].empty()) continue;
    draw_mark(picture, {x, top + kHigh / 2}, i == 0, 7, {});
    picture.text({x + 14, top + kHigh - 1}, maps.mark_names[i], 12, TextAnchor::kStart,
                 Colour::of_theme("ink"));
    x += text_width(maps.mark_names[i], 12) + 44;
  }
}

}  // namespace

PicturePoint mollweide(double longitude_deg, double latitude_deg) {
  const double latitude = latitude_deg * kRadians;
  const double wanted = std::numbers::pi * std::sin(latitude);
  double theta = latitude;  // 2θ + sin 2θ = π sin φ, Newton iterations
  for (int i = 0; i < 60 && std::abs(latitude_deg) < 89.999; ++i) {
    const double step =
        (2.0 * theta + std::sin(2.0 * theta) - wanted) / (2.0 + 2.0 * std::cos(2.0 * theta));
    theta -= step;
    if (std::abs(step) < 1e-12) break;
  }
  return {2.0 * (longitude_deg / 180.0) * std::cos(theta), std::sin(theta)};
}

Picture sphere_maps_picture(const SphereMaps& maps) {
  const std::size_t columns = std::max<std::size_t>(1, std::min(maps.columns, maps.panels.size()));
  const std::size_t rows = (maps.panels.size() + columns - 1) / columns;
  const double whole = 880 - 2 * kMapMargin;
  const double width =
      (whole - kMapGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const double unit = width / 4, cell = 2 * unit + kMapTitle + kMapGap;
  const double bottom = kMapMargin + cell * static_cast<double>(rows);
  Picture picture(880, bottom + kMapLegend - 14);
  picture.set_description(maps.description);
  for (std::size_t i = 0; i < maps.panels.size(); ++i) {
    const std::size_t row = i / columns;
    const double left = kMapMargin + static_cast<double>(i % columns) * (width + kMapGap);
    const double top = kMapMargin + static_cast<double>(row) * cell;
    const Place place{{left + width / 2, top + kMapTitle + unit}, unit};
    picture.text({left + width / 2, top + 12}, maps.panels[i].title, 13, TextAnchor::kMiddle,
                 Colour::of_theme("ink"), true);
    draw_cells(picture, maps, maps.panels[i], place);
    draw_lines(picture, place);
    name_axes(picture, place);
    draw_marks(picture, maps.panels[i], place);
  }
  draw_legend(picture, maps, bottom);
  return picture;
}

}  // namespace pointpng
