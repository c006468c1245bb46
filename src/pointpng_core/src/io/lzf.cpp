#include "io/lzf.h"

#include <algorithm>

namespace pointpng {

bool lzf_decompress(std::span<const std::byte> in, std::span<std::byte> out) {
  std::size_t from = 0;
  std::size_t to = 0;
  const auto next = [&] { return std::to_integer<std::size_t>(in[from++]); };
  while (from < in.size()) {
    const std::size_t control = next();
    if (control < 32) {  // a run of literals
      const std::size_t length = control + 1;
      if (length > in.size() - from || length > out.size() - to) return false;
      std::copy_n(in.data() + from, length, out.data() + to);
      from += length;
      to += length;
      continue;
    }
    // A copy of what was written `distance` bytes ago; it may overlap itself.
    std::size_t length = control >> 5;
    if (length == 7) {
      if (from >= in.size()) return false;
      length += next();
    }
    length += 2;
    if (from >= in.size()) return false;
    const std::size_t distance = ((control & 31) << 8) + next() + 1;
    if (distance > to || length > out.size() - to) return false;
    for (std::size_t i = 0; i < length; ++i, ++to) out[to] = out[to - distance];
  }
  return to == out.size();
}

}  // namespace pointpng
