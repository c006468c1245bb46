#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pointpng::cli {

/// The known words that are a likely meaning of a mistyped one, nearest first; may be empty.
std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& known);

/// The end of a sentence about a mistyped word: "; did you mean 'pose'?", or "." without near
/// words.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace pointpng::cli
