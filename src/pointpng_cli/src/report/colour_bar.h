#pragma once

#include "report/picture.h"

namespace pointpng {

constexpr double kColourBarHeight = 12;

/// A horizontal colour scale: `colour` of the values 0 … 1.
template <class ColourOf>
void draw_colour_bar(Picture& picture, PicturePoint top_left, double width, ColourOf colour) {
  constexpr int kSteps = 64;
  for (int i = 0; i < kSteps; ++i) {
    const double left = top_left.x + width * i / kSteps;
    const double right = top_left.x + width * (i + 1) / kSteps;
    const double bottom = top_left.y + kColourBarHeight;
    Paint paint;
    paint.fill = colour((i + 0.5) / kSteps);
    picture.polygon({{left, top_left.y}, {right, top_left.y}, {right, bottom}, {left, bottom}},
                    paint, {}, true);
  }
}

}  // namespace pointpng
