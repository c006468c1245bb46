#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The constants of the MCAP file format, https://mcap.dev/spec.
namespace pointpng::mcap {

inline constexpr std::string_view kMagic{"\x89MCAP0\r\n", 8};
inline constexpr std::size_t kRecordHeader = 9;   ///< opcode, length
inline constexpr std::size_t kFooterRecord = 29;  ///< with its header

enum Opcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kStatistics = 0x0B,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F
};

}  // namespace pointpng::mcap
