#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "pointpng/error.h"
#include "pointpng/model.h"

namespace pointpng {
namespace {

void require_one_of(std::string_view what, const std::string& value,
                    std::initializer_list<std::string_view> known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw InputError(
        fmt::format("there is no {} '{}'; there are: {}", what, value, fmt::join(known, ", ")));
}

void require(bool holds, const std::string& sentence) {
  if (!holds) throw InputError(sentence);
}

}  // namespace

std::int64_t embedding_length(const ModelConfig& config) {
  if (config.predictor != "wigner") return config.embedding;
  std::int64_t length = 0;
  for (std::size_t l = 0; l < config.channels.size(); ++l)
    length += config.channels[l] * static_cast<std::int64_t>(2 * l + 1);
  return length;
}

void validate(const ModelConfig& c) {
  require_one_of("backbone", c.backbone, {"transformer", "equivariant"});
  require_one_of("predictor", c.predictor, {"cope", "wigner", "sie", "equimod", "sen", "identity"});
  require_one_of("cope input", c.cope_input, {"quaternion", "matrix"});
  for (const std::int64_t value : {c.points, c.patches, c.patch_points, c.width, c.depth, c.heads,
                                   c.mlp_ratio, c.decoder_depth, c.embedding, c.cope_reduction,
                                   c.cope_frequencies, c.cope_hidden, c.cope_mlp})
    require(value >= 1 && value <= 1 << 20, "every size of a model must be from 1 to 1048576");
  require(c.points >= c.patches && c.points >= c.patch_points,
          fmt::format("{} points can't give {} patches of {} points", c.points, c.patches,
                      c.patch_points));
  require(c.patch_widths.size() == 3 &&
              std::all_of(c.patch_widths.begin(), c.patch_widths.end(),
                          [](std::int64_t w) { return w >= 1 && w <= 1 << 16; }),
          "patch_widths takes three positive sizes");
  require(c.width % c.heads == 0,
          fmt::format("the width {} can't be shared by {} heads", c.width, c.heads));
  require(!c.channels.empty() && c.channels.size() <= 9 &&
              std::all_of(c.channels.begin(), c.channels.end(),
                          [](std::int64_t m) { return m >= 0 && m <= 4096; }) &&
              std::any_of(c.channels.begin() + 1, c.channels.end(),
                          [](std::int64_t m) { return m > 0; }),
          "channels takes the number of channels of degree 0, 1, … (at most 8), some above 0");
  require(c.embedding >= c.cope_reduction, "cope_reduction must not be larger than embedding");
  require(c.sie_invariant >= 0 && c.sie_invariant < c.embedding,
          "sie_invariant must leave some of the embedding to turn");
}

}  // namespace pointpng
