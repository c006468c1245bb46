#include "report/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace pointpng {
namespace {

constexpr const char* kThinSpace = "\u202F";  // narrow, and no line break

/// "12345.6" -> "12 345.6".
std::string with_thousands(const std::string& number) {
  const std::size_t first = number[0] == '-' ? 1 : 0;
  const std::size_t end = std::min(number.find('.'), number.size());
  if (end - first < 5) return number;
  std::string grouped = number.substr(0, first);
  for (std::size_t i = first; i < end; ++i) {
    if (i > first && (end - i) % 3 == 0) grouped += kThinSpace;
    grouped += number[i];
  }
  return grouped + number.substr(end);
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos ? fmt::format("{:.{}f}", 0.0, decimals)
                                                            : text;
}

std::string format_spread(double mean, double deviation, int decimals) {
  return fmt::format("{} ± {:.{}f}", format_fixed(mean, decimals), deviation, decimals);
}

std::string format_scientific(double value) {
  const std::string text = fmt::format("{:.2e}", value);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.back() == '.') mantissa.pop_back();
  return fmt::format("{}e{}", mantissa, std::stoi(text.substr(e + 1)));
}

std::string format_number(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (value == 0.0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (magnitude < -3 || magnitude > 8) return format_scientific(value);
  // Three decimals are enough for a reader; a small number keeps its first three digits.
  const int decimals = std::clamp(digits - 1 - magnitude, 0, std::max(3, 2 - magnitude));
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (magnitude < -1) text.erase(text.find_last_not_of('0') + 1);
  if (std::abs(value) == std::floor(std::abs(value))) text = fmt::format("{:.0f}", value);
  return with_thousands(text);
}

std::string format_count(std::int64_t count) { return with_thousands(fmt::format("{}", count)); }

std::string format_percent(double share) {
  if (!std::isfinite(share)) return format_number(share);
  const double percent = 100.0 * share;
  const bool whole = std::abs(percent - std::round(percent)) < 0.05;
  return fmt::format("{:.{}f}{}%", percent, whole ? 0 : 1, kThinSpace);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "unknown";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t days = total / 86400, hours = total / 3600 % 24, minutes = total / 60 % 60;
  if (days > 0) return fmt::format("{} d {} h", days, hours);
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes);
  if (minutes > 0) return fmt::format("{} min {} s", minutes, total % 60);
  return fmt::format("{} s", total);
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (amount >= 1023.95 && unit + 1 < kUnits.size()) {
    amount /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char character : word)
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return quoted + "'";
}

}  // namespace pointpng
