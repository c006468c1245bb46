#include "report/json_leaves.h"

#include <algorithm>

#include <fmt/format.h>

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

Json parse_json(std::string_view text) {
  constexpr int kDeepest = 64;
  constexpr bool kThrow = false;
  if (nesting(text) > kDeepest) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, kThrow);
}

std::string leaf_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.7g}", value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_null()) return "–";
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& item : value)
    list += (list.empty() ? "" : ", ") + (item.is_structured() ? item.dump() : leaf_text(item));
  return list;
}

std::string text_at(const Json& object, const std::string& key) {
  if (!object.is_object() || !object.contains(key) || object.at(key).is_null()) return "";
  return leaf_text(object.at(key));
}

}  // namespace pointpng
