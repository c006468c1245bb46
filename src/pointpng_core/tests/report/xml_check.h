#pragma once

#include <regex>
#include <string>
#include <vector>

namespace pointpng {

/// "" where every tag of the text is closed in its order, has quoted attributes and no stray "<";
/// otherwise what is wrong.
inline std::string xml_fault(const std::string& text) {
  static const std::regex tag(R"re(^<(/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(/?)>)re");
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::string here = text.substr(at, text.find('>', at) - at + 1);
    std::smatch match;
    if (!std::regex_search(here, match, tag)) return "not a tag: " + here;
    if (match[4] == "/") continue;
    if (match[1] != "/") {
      open.push_back(match[2]);
      continue;
    }
    if (open.empty() || open.back() != match[2]) return "closes what is not open: " + here;
    open.pop_back();
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

/// How often `part` occurs.
inline int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace pointpng
