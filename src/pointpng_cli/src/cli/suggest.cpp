#include "cli/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pointpng::cli {

namespace {

// Insertions, deletions and substitutions that turn one word into the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kMostSuggestions = 3;
  const std::size_t tolerated = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& candidate : known) {
    const bool begins = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t distance = begins ? 0 : edit_distance(word, candidate);
    if (distance <= tolerated) {
      near.emplace_back(distance, candidate);
    }
  }
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), kMostSuggestions));
  std::vector<std::string> words;
  words.reserve(near.size());
  for (auto& [distance, candidate] : near) {
    words.push_back(std::move(candidate));
  }
  return words;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::string text;
  for (const auto& near : near_words(word, known)) {
    text += (text.empty() ? "; did you mean '" : " or '") + near + "'";
  }
  return text.empty() ? "." : text + "?";
}

}  // namespace pointpng::cli
