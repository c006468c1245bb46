#include "report/colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace pointpng {
namespace {

/// OKLab (Ottosson 2020): equal steps look equal.
struct Lab {
  double lightness = 0.0, a = 0.0, b = 0.0;
};

Lab polar(double lightness, double chroma, double hue_turns) {
  const double angle = 2.0 * std::numbers::pi * hue_turns;
  return {lightness, chroma * std::cos(angle), chroma * std::sin(angle)};
}

std::uint8_t to_srgb(double linear) {
  const double clamped = std::clamp(linear, 0.0, 1.0);
  const double value =
      clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1.0 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255.0 * value));
}

Colour to_colour(const Lab& lab) {
  const auto cubed = [](double x) { return x * x * x; };
  const double l = cubed(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
  const double m = cubed(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
  const double s = cubed(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
  return {"", to_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          to_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          to_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

std::string css(const Colour& colour) {
  if (colour.theme == "none") return "none";
  if (!colour.theme.empty()) return fmt::format("var(--{})", colour.theme);
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

Colour on_light_ground(const Colour& colour) {
  static const std::map<std::string, Colour> kLight = {
      {"ink", {"", 0x17, 0x20, 0x2c}},    {"soft", {"", 0x58, 0x64, 0x73}},
      {"rule", {"", 0xdf, 0xe4, 0xea}},   {"card", {"", 0xff, 0xff, 0xff}},
      {"accent", {"", 0x0b, 0x62, 0xa4}}, {"alarm-edge", {"", 0xc0, 0x26, 0x26}}};
  const auto found = kLight.find(colour.theme);
  return found == kLight.end() ? colour : found->second;
}

Colour category_colour(std::size_t i, std::size_t count) {
  constexpr std::size_t kOneRing = 12;
  constexpr double kFirstHue = 0.70;  // blue
  const bool two_rings = count > kOneRing;
  const std::size_t ring = two_rings ? i % 2 : 0;
  const std::size_t places = two_rings ? (count + 1) / 2 : std::max<std::size_t>(count, 3);
  const std::size_t place = two_rings ? i / 2 : i;
  const double hue = kFirstHue + (static_cast<double>(place) + 0.5 * static_cast<double>(ring)) /
                                     static_cast<double>(places);
  return to_colour(ring == 0 ? polar(0.60, 0.15, hue) : polar(0.70, 0.10, hue));
}

Colour sequence_colour(double share) {
  constexpr std::array<Lab, 5> kStops = {{{0.27, 0.035, -0.115},
                                          {0.43, -0.035, -0.105},
                                          {0.58, -0.095, -0.015},
                                          {0.75, -0.115, 0.105},
                                          {0.93, -0.030, 0.165}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(low);
  const Lab &from = kStops[low], &to = kStops[low + 1];
  return to_colour({from.lightness + part * (to.lightness - from.lightness),
                    from.a + part * (to.a - from.a), from.b + part * (to.b - from.b)});
}

Colour cycle_colour(double share) { return to_colour(polar(0.62, 0.15, 0.70 + share)); }

}  // namespace pointpng
