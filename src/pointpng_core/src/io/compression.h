#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace pointpng {

/// Decompressed data; of damaged data, what comes before the damage.
struct Decompressed {
  std::vector<std::byte> bytes;
  bool complete = false;  ///< the data ended where it should, within the limit
};

/// Memory grows with the actual output, up to `limit` bytes, whatever size the data claim.
Decompressed zstd_decompress(std::span<const std::byte> data, std::uint64_t limit);
Decompressed lz4_decompress(std::span<const std::byte> data,
                            std::uint64_t limit);  ///< frame format

std::vector<std::byte> zstd_compress(std::span<const std::byte> data);
std::vector<std::byte> lz4_compress(std::span<const std::byte> data);

/// True for data that start as a zstd frame does.
bool is_zstd(std::span<const std::byte> data);

/// Decompresses a zstd file into another; `InputError` where it is damaged or grows beyond reason.
void zstd_decompress_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// CRC-32 (IEEE) of `data`, continuing from `before`.
std::uint32_t crc32_of(std::span<const std::byte> data, std::uint32_t before = 0);

}  // namespace pointpng
