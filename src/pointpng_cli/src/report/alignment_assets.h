#pragma once

#include <string_view>

namespace pointpng {

extern const std::string_view kAlignmentStyle;   ///< what the page's own style sheet lacks
extern const std::string_view kPointViewScript;  ///< draws clouds in 3D and lets them be turned
extern const std::string_view kAlignmentScript;  ///< the controls: hypotheses, before and after

}  // namespace pointpng
