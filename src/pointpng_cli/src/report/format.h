#pragma once

#include <cstdint>
#include <string>

namespace pointpng {

/// Numbers as people read them: about `digits` significant digits, thousands set apart
/// ("12 345", "0.0123", "3.2e-5"), NaN and ∞ by name.
std::string format_number(double value, int digits = 4);

/// So many digits behind the point; what is rounded to zero has no sign.
std::string format_fixed(double value, int decimals);

/// "3.2e-5", at most three significant digits.
std::string format_scientific(double value);

/// "12 345".
std::string format_count(std::int64_t count);

/// A share of one as "97.5 %".
std::string format_percent(double share);

/// "0.8 s", "42 s", "3 min 5 s", "2 h 10 min", "4 d 3 h".
std::string format_duration(double seconds);

/// "812 bytes", "3.4 MiB".
std::string format_bytes(std::uint64_t bytes);

/// A word of a command line, quoted where a shell would read it otherwise.
std::string shell_quoted(const std::string& word);

}  // namespace pointpng
