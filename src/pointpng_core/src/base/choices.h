#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pointpng/error.h"

namespace pointpng {

/// Index of a word among the choices of an option; throws `InputError` for any other word.
inline std::size_t choice(std::string_view option, std::string_view word,
                          const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw InputError(
        fmt::format("{} must be one of {}, got '{}'", option, fmt::join(words, ", "), word));
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace pointpng
