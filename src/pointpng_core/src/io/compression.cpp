#include "io/compression.h"

#include <algorithm>
#include <fstream>
#include <lz4frame.h>
#include <memory>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using ZstdStream = std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)>;

/// Doubles the output buffer, up to the limit. False if the limit is reached.
bool grow(std::vector<std::byte>& out, std::size_t used, std::size_t hint, std::uint64_t limit) {
  if (used < out.size()) return true;
  if (out.size() >= limit) return false;
  const std::uint64_t wanted = std::max<std::uint64_t>({2 * out.size(), hint, 4096});
  out.resize(std::min(wanted, limit));
  return true;
}

}  // namespace

Decompressed zstd_decompress(std::span<const std::byte> data, std::uint64_t limit) {
  const ZstdStream stream(ZSTD_createDStream(), ZSTD_freeDStream);
  Decompressed result;
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  std::size_t used = 0;
  std::size_t status = 1;
  // Once everything is there, the end of the frame may still have to be read: hence the second try.
  while (in.pos < in.size || status != 0) {
    const bool room = grow(result.bytes, used, 2 * data.size(), limit);
    ZSTD_outBuffer out{result.bytes.data(), result.bytes.size(), used};
    const std::size_t consumed = in.pos;
    status = ZSTD_decompressStream(stream.get(), &out, &in);
    const bool stuck = in.pos == consumed && out.pos == used;
    used = out.pos;
    if (ZSTD_isError(status) || (stuck && (!room || in.pos == in.size))) break;
  }
  result.bytes.resize(used);
  result.complete = status == 0 && in.pos == in.size;
  return result;
}

Decompressed lz4_decompress(std::span<const std::byte> data, std::uint64_t limit) {
  LZ4F_dctx* raw = nullptr;
  LZ4F_createDecompressionContext(&raw, LZ4F_VERSION);
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      raw, LZ4F_freeDecompressionContext);
  Decompressed result;
  std::size_t position = 0;
  std::size_t used = 0;
  std::size_t status = 1;
  while (status != 0) {
    const bool room = grow(result.bytes, used, 2 * data.size(), limit);
    std::size_t out_size = result.bytes.size() - used;
    std::size_t in_size = data.size() - position;
    status = LZ4F_decompress(context.get(), result.bytes.data() + used, &out_size,
                             data.data() + position, &in_size, nullptr);
    if (LZ4F_isError(status)) break;
    const bool stuck = in_size == 0 && out_size == 0;
    used += out_size;
    position += in_size;
    if (stuck && (!room || position == data.size())) break;
  }
  result.bytes.resize(used);
  result.complete = status == 0 && position == data.size();
  return result;
}

std::vector<std::byte> zstd_compress(std::span<const std::byte> data) {
  std::vector<std::byte> out(ZSTD_compressBound(data.size()));
  const std::size_t size = ZSTD_compress(out.data(), out.size(), data.data(), data.size(), 3);
  if (ZSTD_isError(size)) throw Error(std::string("zstd failed: ") + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::vector<std::byte> lz4_compress(std::span<const std::byte> data) {
  std::vector<std::byte> out(LZ4F_compressFrameBound(data.size(), nullptr));
  const std::size_t size =
      LZ4F_compressFrame(out.data(), out.size(), data.data(), data.size(), nullptr);
  if (LZ4F_isError(size)) throw Error(std::string("lz4 failed: ") + LZ4F_getErrorName(size));
  out.resize(size);
  return out;
}

bool is_zstd(std::span<const std::byte> data) {
  constexpr std::byte kMagic[] = {std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F},
                                  std::byte{0xFD}};
  return data.size() >= 4 && std::equal(kMagic, kMagic + 4, data.begin());
}

void zstd_decompress_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  constexpr std::uint64_t kBestCompression = 65536;
  const MappedFile file(from);
  std::ofstream sink(to, std::ios::binary);
  const ZstdStream stream(ZSTD_createDStream(), ZSTD_freeDStream);
  std::vector<char> buffer(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{file.bytes().data(), file.bytes().size(), 0};
  std::uint64_t written = 0;
  std::size_t status = 1;
  while (true) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    status = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(status) || written / kBestCompression > in.size) break;
    sink.write(buffer.data(), static_cast<std::streamsize>(out.pos));
    written += out.pos;
    if (in.pos == in.size && out.pos < out.size) break;
  }
  if (status != 0)
    throw InputError(fmt::format("{}: its zstd compression is damaged or cut off", from.string()));
  sink.close();
  if (!sink)
    throw Error(
        fmt::format("{}: there is no room to decompress it to {}", from.string(), to.string()));
}

std::uint32_t crc32_of(std::span<const std::byte> data, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace pointpng
