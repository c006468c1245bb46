#include "pointpng/runtime.h"

namespace pointpng {

std::string_view version() { return POINTPNG_VERSION; }

}  // namespace pointpng
