#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace pointpng {

/// How often `part` occurs.
inline int count_of(std::string_view text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Whether the text is `name="value"` any number of times, without a "<" in a value.
/// By hand: std::regex recurses once per character, and the paths of a chart are long.
inline bool are_attributes(std::string_view text) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':';
  };
  while (!text.empty()) {
    if (text[0] != ' ') return false;
    std::size_t end = 1;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end == 1 || text.substr(end, 2) != "=\"") return false;
    const std::size_t quote = text.find('"', end + 2);
    if (quote == std::string_view::npos) return false;
    if (text.substr(end + 2, quote - end - 2).find('<') != std::string_view::npos) return false;
    text.remove_prefix(quote + 1);
  }
  return true;
}

/// "" where every tag of the text is closed in its order, has quoted attributes and no stray "<";
/// otherwise what is wrong.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  for (auto at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string here(text.substr(at, text.find('>', at) - at + 1));
    const bool closes = here.starts_with("</"), alone = here.ends_with("/>");
    const std::size_t first = closes ? 2 : 1;
    const std::size_t last = here.size() - (alone ? 2 : 1);
    const std::size_t name_end = std::min(here.find(' '), last);
    const std::string name = here.substr(first, name_end - first);
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) ||
        !are_attributes(std::string_view(here).substr(name_end, last - name_end)))
      return "not a tag: " + here;
    if (alone) continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    if (open.empty() || open.back() != name) return "closes what is not open: " + here;
    open.pop_back();
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

}  // namespace pointpng
