#include "pointpng/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace pointpng {
namespace {

/// The deepest nesting of brackets outside of strings.
int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (in_string && character == '\\') {
      ++i;
    } else if (character == '"') {
      in_string = !in_string;
    } else if (!in_string && (character == '{' || character == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (character == '}' || character == ']')) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::ordered_json parse_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
  constexpr int kDeepest = 64;
  constexpr bool kThrow = false;
  if (nesting(text) > kDeepest) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, kThrow);
}

}  // namespace pointpng
