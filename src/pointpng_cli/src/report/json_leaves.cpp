#include "report/json_leaves.h"

#include <fmt/format.h>

namespace pointpng {

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
