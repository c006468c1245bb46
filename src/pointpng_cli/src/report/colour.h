#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pointpng {

/// A colour of a drawing: one that follows the page's light or dark theme ("ink", "soft", "rule",
/// "card", "accent", "alarm"), or a fixed one.
struct Colour {
  std::string theme;  ///< empty: the fixed colour below
  std::uint8_t red = 0, green = 0, blue = 0;

  static Colour of_theme(std::string name) { return {std::move(name), 0, 0, 0}; }
  static Colour none() { return {"none", 0, 0, 0}; }
};

/// "#0b62a4", or "var(--ink)".
std::string css(const Colour& colour);

/// The fixed colour that a themed one has on light ground.
Colour on_light_ground(const Colour& colour);

/// The i-th of `count` colours that are easy to tell apart, on light ground as on dark: at equal
/// lightness round the circle of hues, in two rings where there are many.
Colour category_colour(std::size_t i, std::size_t count);

/// A share of 0 … 1 as a colour from dark blue over green to yellow: low is dark.
Colour sequence_colour(double share);

/// A share of a full turn as a colour: 0 and 1 are the same.
Colour cycle_colour(double share);

}  // namespace pointpng
