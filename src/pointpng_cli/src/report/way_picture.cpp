#include "report/way_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/colour_bar.h"

namespace pointpng {
namespace {

constexpr double kMargin = 14, kGap = 18, kTitle = 26, kNote = 24, kLegend = 46, kWhole = 880;

/// From the trajectory's coordinates to those of one panel, at equal scales.
struct PanelFrame {
  PicturePoint middle, centre;
  double scale = 1.0;

  PicturePoint at(const PicturePoint& place) const {
    return {centre.x + scale * (place.x - middle.x), centre.y - scale * (place.y - middle.y)};
  }
};

PanelFrame frame_of(const Way& way, PicturePoint centre, double size) {
  std::vector<PicturePoint> all = way.places;
  all.insert(all.end(), way.predicted.begin(), way.predicted.end());
  if (all.empty()) return {{}, centre, 1.0};
  const auto [left, right] = std::ranges::minmax(all, {}, &PicturePoint::x);
  const auto [low, high] = std::ranges::minmax(all, {}, &PicturePoint::y);
  const double extent = std::max({right.x - left.x, high.y - low.y, 1e-12});
  return {{(left.x + right.x) / 2, (low.y + high.y) / 2}, centre, (size - 44) / extent};
}

std::vector<PicturePoint> moved(const PanelFrame& frame, const std::vector<PicturePoint>& places) {
  std::vector<PicturePoint> points;
  for (const PicturePoint& place : places) points.push_back(frame.at(place));
  return points;
}

Paint start_paint() {
  Paint paint;
  paint.fill = Colour::of_theme("card");
  paint.stroke = Colour::of_theme("ink");
  paint.width = 1.5;
  return paint;
}

Paint predicted_paint() {
  Paint paint;
  paint.stroke = Colour::of_theme("ink");
  paint.width = 1.4;
  paint.dashed = true;
  return paint;
}

void draw_way(Picture& picture, const Way& way, const PanelFrame& frame) {
  const std::vector<PicturePoint> points = moved(frame, way.places);
  Paint thin;
  thin.stroke = Colour::of_theme("soft");
  thin.opacity = 0.45;
  if (points.size() > 1) picture.line(points, thin);
  if (way.predicted.size() > 1) picture.line(moved(frame, way.predicted), predicted_paint());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Paint paint;
    paint.fill = cycle_colour(way.angle_deg[i] / 360.0);
    picture.circle(points[i], 4, paint,
                   {fmt::format("{}: rotated by {:.0f}°", way.title, way.angle_deg[i])});
  }
  if (!points.empty()) picture.star(points.front(), 8, start_paint(), {way.title + ": start, 0°"});
}

void draw_legend(Picture& picture, double top) {
  constexpr double kBar = 220;
  double x = kMargin;
  picture.text({x, top + 11}, "rotated by", 12, TextAnchor::kStart, Colour::of_theme("ink"), true);
  x += 70;
  picture.text({x, top + 11}, "0°", 12, TextAnchor::kStart);
  x += 22;
  draw_colour_bar(picture, {x, top}, kBar, cycle_colour);
  x += kBar + 8;
  picture.text({x, top + 11}, "360°", 12, TextAnchor::kStart);
  x += 70;
  picture.star({x, top + 6}, 7, start_paint());
  picture.text({x + 14, top + 11}, "start", 12, TextAnchor::kStart, Colour::of_theme("ink"));
  x += 84;
  picture.line({{x, top + 6}, {x + 34, top + 6}}, predicted_paint());
  picture.text({x + 42, top + 11}, "predicted from the start", 12, TextAnchor::kStart,
               Colour::of_theme("ink"));
}

}  // namespace

Picture way_picture(const std::vector<Way>& ways, const std::string& description) {
  const std::size_t columns = std::clamp<std::size_t>(ways.size(), 1, 3);
  const std::size_t rows = (ways.size() + columns - 1) / columns;
  const double width = (kWhole - 2 * kMargin - kGap * static_cast<double>(columns - 1)) /
                       static_cast<double>(columns);
  const double size = std::min(width, 460.0), cell = size + kTitle + kNote + kGap;
  Picture picture(kWhole, kMargin + cell * static_cast<double>(rows) + kLegend - 14);
  picture.set_description(description);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t row = i / columns;
    const double left = kMargin + static_cast<double>(i % columns) * (width + kGap);
    const double top = kMargin + static_cast<double>(row) * cell + kTitle;
    Paint rim;
    rim.stroke = Colour::of_theme("rule");
    picture.polygon(
        {{left, top}, {left + width, top}, {left + width, top + size}, {left, top + size}}, rim);
    picture.text({left, top - 9}, ways[i].title, 13, TextAnchor::kStart, Colour::of_theme("ink"),
                 true);
    picture.text({left, top + size + 16}, ways[i].note, 12, TextAnchor::kStart);
    draw_way(picture, ways[i], frame_of(ways[i], {left + width / 2, top + size / 2}, size));
  }
  draw_legend(picture, kMargin + cell * static_cast<double>(rows));
  return picture;
}

}  // namespace pointpng
