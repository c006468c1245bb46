#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/registration.h"

namespace pointpng {
namespace {

constexpr std::array<Range, 8> kRanges = {{
    {"hypotheses", 1, 64, "Rotations taken from the embedding; 1 is the plain paper"},
    {"points", 64, 16384, "Points per cloud after downsampling"},
    {"confidence", 0, 1, "Results below it are rejected; 0 accepts whatever fits best"},
    {"instances", 1, 64, "Copies of the object that are looked for, at most"},
    {"threads", 0, 1024, "Threads to compute with; 0: every core that the process may use"},
    {"lost_below", 0, 1, "Register globally again below this share of the keyframe's first score"},
    {"keyframe_overlap", 0, 1, "New keyframe where less than this share overlaps the last one"},
    {"second_look", 0, 100000,
     "With a reference: register every n-th tracked cloud globally as well; 0: never"},
}};

}  // namespace

const Range& range_of(std::string_view name) {
  const auto found = std::ranges::find(kRanges, name, &Range::name);
  if (found == kRanges.end()) throw std::logic_error("no range is called " + std::string(name));
  return *found;
}

void require_in_range(const Range& range, double value) {
  if (!(value >= range.least && value <= range.most))
    throw InputError(
        fmt::format("{} must be in [{}, {}], got {}", range.name, range.least, range.most, value));
}

}  // namespace pointpng
