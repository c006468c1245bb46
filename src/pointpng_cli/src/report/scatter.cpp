#include "report/scatter.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pointpng {
namespace {

constexpr double kScatterWidth = 640, kScatterHeight = 540, kScatterMargin = 14;
constexpr double kLetters = 13, kLine = 22;
constexpr std::size_t kRows = 23;       // of a column of the legend
constexpr std::size_t kMostNames = 68;  // more cannot be told apart
constexpr std::size_t kLongestName = 24;

Colour colour_of(const Scatter& scatter, std::size_t group) {
  const std::size_t count = scatter.groups.size();
  if (!scatter.ordered) return category_colour(group, count);
  // Not the last tenth of the scale: yellow is hard to see on white.
  return sequence_colour(0.88 * static_cast<double>(group) /
                         static_cast<double>(std::max<std::size_t>(1, count - 1)));
}

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName - 1;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "…";
}

/// From the items' coordinates to those of the drawing.
class Frame {
 public:
  explicit Frame(const std::vector<ScatterPoint>& points) {
    if (points.empty()) return;
    const auto [left, right] = std::ranges::minmax(points, {}, &ScatterPoint::x);
    const auto [low, high] = std::ranges::minmax(points, {}, &ScatterPoint::y);
    middle_ = {(left.x + right.x) / 2, (low.y + high.y) / 2};
    const double across = std::max(right.x - left.x, 1e-12), up = std::max(high.y - low.y, 1e-12);
    scale_ = std::min((kScatterWidth - 36) / across, (kScatterHeight - 36) / up);
  }
  PicturePoint at(double x, double y) const {
    return {kScatterMargin + kScatterWidth / 2 + scale_ * (x - middle_.x),
            kScatterMargin + kScatterHeight / 2 - scale_ * (y - middle_.y)};
  }

 private:
  PicturePoint middle_;
  double scale_ = 1.0;
};

struct Legend {
  std::vector<std::string> names;
  std::size_t left_out = 0;
  std::size_t rows = 0, columns = 0;  ///< of names and of what follows them
  double column_width = 0.0;
};

Legend plan_legend(const Scatter& scatter) {
  Legend legend;
  double longest = 0.0;
  const bool crosses = !scatter.cross_name.empty();
  const std::size_t shown = std::min(scatter.groups.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) legend.names.push_back(shortened(scatter.groups[i]));
  legend.left_out = scatter.groups.size() - shown;
  for (const std::string& name : legend.names)
    longest = std::max(longest, text_width(name, kLetters));
  if (crosses)
    for (const std::string& name : {scatter.dot_name, scatter.cross_name})
      longest = std::max(longest, text_width(name, kLetters));
  const std::size_t entries =
      legend.names.size() + (legend.left_out > 0 ? 1 : 0) + (crosses ? 3 : 0);
  legend.columns = std::max<std::size_t>(1, (entries + kRows - 1) / kRows);
  legend.rows = (entries + legend.columns - 1) / legend.columns;
  legend.column_width = std::max(110.0, longest + 30);
  return legend;
}

Paint paint_of(const Colour& colour, bool cross) {
  Paint paint;
  if (cross) {
    paint.stroke = colour;
    paint.width = 1.8;
  } else {
    paint.fill = colour;
    paint.stroke = Colour::of_theme("card");
    paint.width = 0.6;
  }
  paint.opacity = 0.9;
  return paint;
}

void draw_legend(Picture& picture, const Scatter& scatter, const Legend& legend) {
  const double left = kScatterMargin + kScatterWidth + 24;
  const auto place = [&](std::size_t entry) {
    const std::size_t column = entry / legend.rows;
    return PicturePoint{left + static_cast<double>(column) * legend.column_width,
                        kScatterMargin + 12 + static_cast<double>(entry % legend.rows) * kLine};
  };
  std::size_t entry = 0;
  for (std::size_t i = 0; i < legend.names.size(); ++i, ++entry) {
    const PicturePoint at = place(entry);
    const MarkMeaning meaning{"", static_cast<int>(i), true};
    picture.circle(at, 5, paint_of(colour_of(scatter, i), false), meaning);
    picture.text({at.x + 13, at.y + 4.5}, legend.names[i], kLetters, TextAnchor::kStart,
                 Colour::of_theme("ink"), false, meaning);
  }
  if (legend.left_out > 0)
    picture.text({place(entry).x - 4, place(entry++).y + 4.5},
                 fmt::format("and {} more", legend.left_out), kLetters, TextAnchor::kStart);
  if (scatter.cross_name.empty()) return;
  ++entry;
  for (const bool cross : {false, true}) {
    const PicturePoint at = place(entry++);
    const Paint paint = paint_of(Colour::of_theme("soft"), cross);
    cross ? picture.cross(at, 4, paint) : picture.circle(at, 4.5, paint);
    picture.text({at.x + 13, at.y + 4.5}, cross ? scatter.cross_name : scatter.dot_name, kLetters,
                 TextAnchor::kStart, Colour::of_theme("ink"));
  }
}

}  // namespace

Picture scatter_picture(const Scatter& scatter) {
  const Legend legend = plan_legend(scatter);
  const bool named = !scatter.x_name.empty() || !scatter.y_name.empty();
  const double bottom = kScatterMargin + kScatterHeight;
  Picture picture(kScatterMargin + kScatterWidth + 16 +
                      static_cast<double>(legend.columns) * legend.column_width + kScatterMargin,
                  bottom + kScatterMargin + (named ? 20 : 0));
  picture.set_description(scatter.description);
  Paint frame;
  frame.stroke = Colour::of_theme("rule");
  picture.polygon({{kScatterMargin, kScatterMargin},
                   {kScatterMargin + kScatterWidth, kScatterMargin},
                   {kScatterMargin + kScatterWidth, bottom},
                   {kScatterMargin, bottom}},
                  frame);
  const Frame place(scatter.points);
  const double radius = scatter.points.size() > 1500  ? 2.4
                        : scatter.points.size() > 400 ? 3.2
                                                      : 4.2;
  for (const ScatterPoint& point : scatter.points) {
    const Paint paint = paint_of(colour_of(scatter, point.group), point.cross);
    const MarkMeaning meaning{point.tip, static_cast<int>(point.group), false};
    point.cross ? picture.cross(place.at(point.x, point.y), 0.9 * radius, paint, meaning)
                : picture.circle(place.at(point.x, point.y), radius, paint, meaning);
  }
  if (named) {
    picture.text({kScatterMargin, bottom + 22}, "→ " + scatter.x_name, 12, TextAnchor::kStart);
    picture.text({kScatterMargin + kScatterWidth, bottom + 22}, "↑ " + scatter.y_name, 12,
                 TextAnchor::kEnd);
  }
  draw_legend(picture, scatter, legend);
  return picture;
}

}  // namespace pointpng
