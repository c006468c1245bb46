#pragma once

#include <cstdint>
#include <string>

namespace pointpng {

/// A number for people: about `digits` significant digits, thousands separated
/// ("12 345", "0.0123", "3.2e-5"), NaN and ∞ by name.
std::string format_number(double value, int digits = 4);

/// Fixed number of decimals; what rounds to zero has no sign.
std::string format_fixed(double value, int decimals);

/// "0.912 ± 0.013".
std::string format_spread(double mean, double deviation, int decimals);

/// "3.2e-5", at most three significant digits.
std::string format_scientific(double value);

/// "12 345".
std::string format_count(std::int64_t count);

/// A fraction as "97.5 %".
std::string format_percent(double share);

/// "0.8 s", "42 s", "3 min 5 s", "2 h 10 min", "4 d 3 h".
std::string format_duration(double seconds);

/// "812 bytes", "3.4 MiB".
std::string format_bytes(std::uint64_t bytes);

/// A word of a command line, quoted where a shell would read it otherwise.
std::string shell_quoted(const std::string& word);

}  // namespace pointpng
