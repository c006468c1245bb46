#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pointpng {

/// A colour of a drawing: one that follows the page's light or dark theme ("ink", "soft", "rule",
/// "card", "accent", "alarm-edge"), or a fixed one.
struct Colour {
  std::string theme;  ///< empty: the fixed colour below
  std::uint8_t red = 0, green = 0, blue = 0;

  static Colour of_theme(std::string name) { return {std::move(name), 0, 0, 0}; }
  static Colour none() { return {"none", 0, 0, 0}; }
};

/// "#0b62a4", or "var(--ink)".
std::string css(const Colour& colour);

/// The fixed colour of a themed one in the light theme.
Colour on_light_ground(const Colour& colour);

/// The i-th of `count` distinguishable colours: hues of equal lightness, in two rings where there
/// are many.
Colour category_colour(std::size_t i, std::size_t count);

/// A value in [0, 1] as a colour from dark blue over green to yellow.
Colour sequence_colour(double share);

/// A phase in [0, 1] as a colour: 0 and 1 are the same.
Colour cycle_colour(double share);

}  // namespace pointpng
