#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace pointpng {

/// Calls `visit` with every value that is not an object, named by its path: "model.decoder.depth".
/// What is nested absurdly deep is left out.
inline void for_each_leaf(
    const nlohmann::json& value, const std::string& path, char separator,
    const std::function<void(const std::string&, const nlohmann::json&)>& visit,
    int depth_left = 16) {
  if (!value.is_object()) return visit(path, value);
  if (depth_left == 0) return;
  for (const auto& [key, child] : value.items())
    for_each_leaf(child, path.empty() ? key : path + separator + key, separator, visit,
                  depth_left - 1);
}

/// A value as a person would write it: text without quotes, floats without their binary tail.
std::string leaf_text(const nlohmann::json& value);

/// The text at `key` of an object, "" where there is none.
std::string text_at(const nlohmann::json& object, const std::string& key);

}  // namespace pointpng
