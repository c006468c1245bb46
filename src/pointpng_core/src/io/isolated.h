#pragma once

#include <functional>
#include <optional>
#include <string>

namespace pointpng {

/// Runs `work` in a separate process and returns what it returned. For libraries that crash or
/// hang on damaged files: then there is no result, and this process is unharmed. An `InputError` of
/// the work is thrown here. The work must not use threads or devices; it may take `cpu_seconds` at
/// most.
std::optional<std::string> run_isolated(const std::function<std::string()>& work, int cpu_seconds);

}  // namespace pointpng
