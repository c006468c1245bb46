#include "report/picture.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "report/assets.h"

namespace pointpng {
namespace {

std::string paint_attributes(const Paint& paint) {
  std::string text = fmt::format(" fill=\"{}\"", css(paint.fill));
  if (paint.stroke.theme != "none")
    text += fmt::format(R"( stroke="{}" stroke-width="{:.4g}" stroke-linejoin="round")",
                        css(paint.stroke), paint.width);
  if (paint.dashed) text += " stroke-dasharray=\"5 4\"";
  if (paint.opacity < 1.0) text += fmt::format(" opacity=\"{:.3g}\"", paint.opacity);
  return text;
}

std::string path_of(const std::vector<PicturePoint>& points, bool closed) {
  std::string data;
  for (std::size_t i = 0; i < points.size(); ++i)
    data += fmt::format("{}{:.2f},{:.2f}", i == 0 ? 'M' : 'L', points[i].x, points[i].y);
  return closed ? data + "Z" : data;
}

PicturePoint middle_of(const std::vector<PicturePoint>& points) {
  PicturePoint middle;
  for (const PicturePoint& point : points) {
    middle.x += point.x / static_cast<double>(points.size());
    middle.y += point.y / static_cast<double>(points.size());
  }
  return middle;
}

std::string meaning_attributes(const MarkMeaning& meaning,
                               const std::vector<PicturePoint>& points) {
  std::string text;
  if (meaning.group >= 0)
    text += fmt::format(" {}=\"{}\"", meaning.legend ? "data-legend" : "data-group", meaning.group);
  if (!meaning.tip.empty()) {
    const PicturePoint at = middle_of(points);
    text += fmt::format(R"( data-at="{:.1f} {:.1f}" data-tip="{}")", at.x, at.y,
                        escape_html(meaning.tip));
  }
  return text;
}

constexpr const char* anchor_name(TextAnchor anchor) {
  return anchor == TextAnchor::kStart ? "start" : anchor == TextAnchor::kMiddle ? "middle" : "end";
}

}  // namespace

void Picture::circle(PicturePoint centre, double radius, const Paint& paint, MarkMeaning meaning) {
  marks_.push_back({Kind::kCircle, {centre}, radius, paint, std::move(meaning), {}});
}

void Picture::cross(PicturePoint centre, double radius, const Paint& paint, MarkMeaning meaning) {
  marks_.push_back({Kind::kCross, {centre}, radius, paint, std::move(meaning), {}});
}

void Picture::line(std::vector<PicturePoint> points, const Paint& paint, MarkMeaning meaning) {
  marks_.push_back({Kind::kLine, std::move(points), 0.0, paint, std::move(meaning), {}});
}

void Picture::polygon(std::vector<PicturePoint> points, const Paint& paint, MarkMeaning meaning,
                      bool crisp) {
  marks_.push_back({Kind::kPolygon, std::move(points), 0.0, paint, std::move(meaning), {}});
  marks_.back().crisp = crisp;
}

void Picture::star(PicturePoint centre, double radius, const Paint& paint, MarkMeaning meaning) {
  std::vector<PicturePoint> points;
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * (0.2 * i - 0.5),
                 r = i % 2 == 0 ? radius : 0.45 * radius;
    points.push_back({centre.x + r * std::cos(angle), centre.y + r * std::sin(angle)});
  }
  polygon(std::move(points), paint, std::move(meaning));
}

void Picture::text(PicturePoint at, const std::string& words, double size, TextAnchor anchor,
                   const Colour& colour, bool bold, MarkMeaning meaning) {
  Paint paint;
  paint.fill = colour;
  marks_.push_back({Kind::kText, {at}, size, paint, std::move(meaning), printable(words)});
  marks_.back().anchor = anchor;
  marks_.back().bold = bold;
}

std::string Picture::as_svg(const Mark& mark) {
  const std::string more = meaning_attributes(mark.meaning, mark.points);
  const PicturePoint at = mark.points.front();
  switch (mark.kind) {
    case Kind::kCircle:
      return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.3g}\"{}{}/>\n", at.x, at.y,
                         mark.size, paint_attributes(mark.paint), more);
    case Kind::kCross: {
      const double r = mark.size;
      return fmt::format(
          "<path d=\"M{:.2f},{:.2f}L{:.2f},{:.2f}M{:.2f},{:.2f}L{:.2f},{:.2f}\"{}{}/>\n", at.x - r,
          at.y - r, at.x + r, at.y + r, at.x - r, at.y + r, at.x + r, at.y - r,
          paint_attributes(mark.paint), more);
    }
    case Kind::kText:
      // An inline style overrides the page's style sheet.
      return fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" "
          "style=\"font-size:{:.4g}px;fill:{}{}\"{}>{}</text>\n",
          at.x, at.y, anchor_name(mark.anchor), mark.size, css(mark.paint.fill),
          mark.bold ? ";font-weight:600" : "", more, escape_html(mark.words));
    default:
      return fmt::format(
          "<path d=\"{}\"{}{}{}/>\n", path_of(mark.points, mark.kind == Kind::kPolygon),
          paint_attributes(mark.paint), mark.crisp ? " shape-rendering=\"crispEdges\"" : "", more);
  }
}

std::string Picture::svg() const {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.4g} {:.4g}\" role=\"img\" "
      "aria-label=\"{}\">\n",
      width_, height_, escape_html(description_));
  for (const Mark& mark : marks_) svg += as_svg(mark);
  return svg + "</svg>";
}

std::string Picture::svg_file() const {
  std::string svg = this->svg();
  svg.insert(svg.find(" viewBox"),
             fmt::format(R"( width="{:.4g}" height="{:.4g}")", width_, height_));
  svg.insert(svg.find(">\n") + 2, fmt::format("<style>{}</style>\n", kPictureCss));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg + "\n";
}

Html picture_figure(const std::string& title, const std::string& explanation,
                    const Picture& picture) {
  return {fmt::format(
      "<figure class=\"picture\"><figcaption><h3>{}</h3><p>{}</p></figcaption>"
      "<div class=\"drawing\">{}</div><p class=\"tip\" aria-live=\"polite\"></p></figure>\n",
      escape_html(title), escape_html(explanation), picture.svg())};
}

double text_width(const std::string& words, double size) {
  constexpr double kMeanLetter = 0.58;  // of the height; DejaVu is among the widest
  double letters = 0.0;
  for (const char c : words) letters += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0.0 : 1.0;
  return kMeanLetter * size * letters;
}

}  // namespace pointpng
