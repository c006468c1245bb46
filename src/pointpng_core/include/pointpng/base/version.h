#pragma once

#include <string_view>

namespace pointpng {

/// The version of this library, as in CMakeLists.txt and package.xml.
std::string_view version();

}  // namespace pointpng
