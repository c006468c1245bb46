#include <array>
#include <cairo.h>
#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "report/picture.h"

namespace pointpng {
namespace {

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

void require(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(fmt::format("the picture could not be drawn: {}", cairo_status_to_string(status)));
}

}  // namespace

/// Paints the marks of a picture with Cairo.
class PixelPainter {
 public:
  PixelPainter(double width, double height, double scale)
      : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                            static_cast<int>(std::lround(width * scale)),
                                            static_cast<int>(std::lround(height * scale)))),
        cairo_(cairo_create(surface_.get())) {
    require(cairo_status(cairo_.get()));
    cairo_scale(cairo_.get(), scale, scale);
    cairo_set_source_rgb(cairo_.get(), 1.0, 1.0, 1.0);
    cairo_paint(cairo_.get());
  }

  void paint(const Picture::Mark& mark) {
    cairo_t* c = cairo_.get();
    cairo_new_path(c);
    if (mark.kind == Picture::Kind::kText) return write(mark);
    cairo_set_antialias(c, mark.crisp ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT);
    outline(mark);
    if (use(mark.paint.fill, mark.paint.opacity)) cairo_fill_preserve(c);
    if (!use(mark.paint.stroke, mark.paint.opacity)) return;
    constexpr std::array kDashes = {5.0, 4.0};
    cairo_set_dash(c, kDashes.data(), mark.paint.dashed ? 2 : 0, 0.0);
    cairo_set_line_width(c, mark.paint.width);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(c);
  }

  std::string png() {
    std::string bytes;
    require(cairo_status(cairo_.get()));
    require(cairo_surface_write_to_png_stream(surface_.get(), append, &bytes));
    return bytes;
  }

 private:
  void outline(const Picture::Mark& mark) {
    cairo_t* c = cairo_.get();
    const PicturePoint at = mark.points.front();
    const double r = mark.size;
    if (mark.kind == Picture::Kind::kCircle) {
      cairo_arc(c, at.x, at.y, r, 0.0, 2.0 * std::numbers::pi);
    } else if (mark.kind == Picture::Kind::kCross) {
      cairo_move_to(c, at.x - r, at.y - r);
      cairo_line_to(c, at.x + r, at.y + r);
      cairo_move_to(c, at.x - r, at.y + r);
      cairo_line_to(c, at.x + r, at.y - r);
    } else {
      for (const PicturePoint& point : mark.points) cairo_line_to(c, point.x, point.y);
      if (mark.kind == Picture::Kind::kPolygon) cairo_close_path(c);
    }
  }

  /// False where nothing is to be painted.
  bool use(const Colour& themed, double opacity) {
    if (themed.theme == "none") return false;
    const Colour colour = on_light_ground(themed);
    cairo_set_source_rgba(cairo_.get(), colour.red / 255.0, colour.green / 255.0,
                          colour.blue / 255.0, opacity);
    return true;
  }

  void write(const Picture::Mark& mark) {
    cairo_t* c = cairo_.get();
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           mark.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, 0.94 * mark.size);  // DejaVu is wider than what browsers take
    cairo_text_extents_t extents;
    cairo_text_extents(c, mark.words.c_str(), &extents);
    const double share = mark.anchor == TextAnchor::kStart    ? 0.0
                         : mark.anchor == TextAnchor::kMiddle ? 0.5
                                                              : 1.0;
    cairo_move_to(c, mark.points.front().x - share * extents.x_advance, mark.points.front().y);
    if (use(mark.paint.fill, 1.0)) cairo_show_text(c, mark.words.c_str());
  }

  struct Release {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  };
  std::unique_ptr<cairo_surface_t, Release> surface_;
  std::unique_ptr<cairo_t, Release> cairo_;
};

std::string Picture::png(double scale) const {
  PixelPainter painter(width_, height_, scale);
  for (const Mark& mark : marks_) painter.paint(mark);
  return painter.png();
}

}  // namespace pointpng
