#pragma once

#include <string>
#include <vector>

#include "report/colour.h"
#include "report/html.h"

namespace pointpng {

struct PicturePoint {
  double x = 0.0, y = 0.0;  ///< from the top left corner
};

/// How a mark is painted.
struct Paint {
  Colour fill = Colour::none();
  Colour stroke = Colour::none();
  double width = 1.0;  ///< of the stroke
  bool dashed = false;
  double opacity = 1.0;
};

enum class TextAnchor { kStart, kMiddle, kEnd };

/// The tooltip of a mark and its group, for pages.
struct MarkMeaning {
  std::string tip;  ///< empty: nothing is shown
  int group = -1;   ///< pointing at its name in the legend shows it alone
  bool legend = false;
};

/// Marks in the order in which they are painted; written as SVG for pages and files, or as PNG.
class Picture {
 public:
  Picture(double width, double height) : width_(width), height_(height) {}

  void circle(PicturePoint centre, double radius, const Paint& paint, MarkMeaning meaning = {});
  void cross(PicturePoint centre, double radius, const Paint& paint, MarkMeaning meaning = {});
  void line(std::vector<PicturePoint> points, const Paint& paint, MarkMeaning meaning = {});
  /// `crisp`: without smoothing at its edge, so that cells side by side leave no gap.
  void polygon(std::vector<PicturePoint> points, const Paint& paint, MarkMeaning meaning = {},
               bool crisp = false);
  void star(PicturePoint centre, double radius, const Paint& paint, MarkMeaning meaning = {});
  void text(PicturePoint at, const std::string& words, double size, TextAnchor anchor,
            const Colour& colour = Colour::of_theme("soft"), bool bold = false,
            MarkMeaning meaning = {});

  /// Alternative text.
  void set_description(std::string text) { description_ = std::move(text); }

  double width() const { return width_; }
  double height() const { return height_; }

  /// For a page, whose style sheet has the theme's colours.
  std::string svg() const;
  /// A file of its own, light or dark as the viewer is.
  std::string svg_file() const;
  /// The bytes of a PNG on light ground, `scale` pixels per unit. Throws `Error` on failure.
  std::string png(double scale = 2.0) const;

 private:
  enum class Kind { kCircle, kCross, kLine, kPolygon, kText };
  struct Mark {
    Kind kind = Kind::kCircle;
    std::vector<PicturePoint> points;  ///< one, the centre, but for lines and polygons
    double size = 0.0;                 ///< radius, or height of letters
    Paint paint;
    MarkMeaning meaning;
    std::string words;
    TextAnchor anchor = TextAnchor::kStart;
    bool bold = false, crisp = false;
  };

  static std::string as_svg(const Mark& mark);
  friend class PixelPainter;

  double width_, height_;
  std::string description_;
  std::vector<Mark> marks_;
};

/// Title, one sentence and the drawing, for a page; its script shows the tips.
Html picture_figure(const std::string& title, const std::string& explanation,
                    const Picture& picture);

/// Approximate width of a text, for layout.
double text_width(const std::string& words, double size);

}  // namespace pointpng
