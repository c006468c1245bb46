#pragma once

#include <string>

namespace pointpng {

/// The entry point of a library of this package that is loaded only when it is needed, because of
/// the libraries that it brings. Throws `InputError`, "<what> is not installed: …", where there is
/// none.
void* plugin_entry(const char* library, const char* entry, const std::string& what);

}  // namespace pointpng
