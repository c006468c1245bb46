#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace pointpng {

/// Keeps the order of the keys.
using Json = nlohmann::ordered_json;

/// Calls `visit` with every value that is not an object, named by its path: "model.decoder.depth".
inline void for_each_leaf(const Json& value, const std::string& path, char separator,
                          const std::function<void(const std::string&, const Json&)>& visit) {
  if (!value.is_object()) return visit(path, value);
  for (const auto& [key, child] : value.items())
    for_each_leaf(child, path.empty() ? key : path + separator + key, separator, visit);
}

/// A value as a person would write it: text without quotes, floats without their binary tail.
std::string leaf_text(const Json& value);

/// The text at `key` of an object, "" where there is none.
std::string text_at(const Json& object, const std::string& key);

}  // namespace pointpng
