#pragma once

#include <string_view>

namespace pointpng {

extern const std::string_view kPageStyle;   ///< the style sheet
extern const std::string_view kPageScript;  ///< the read-out of the charts

}  // namespace pointpng
