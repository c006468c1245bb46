#pragma once

#include <cstddef>
#include <span>

namespace pointpng {

/// Decompresses LZF (PCD's binary_compressed). False unless the input is well-formed and
/// fills the output exactly.
bool lzf_decompress(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace pointpng
