#pragma once

#include <string>

#include "pointpng/study.h"

namespace pointpng {

/// A table of means for people, with remarks.
std::string study_text(const Study& study);

/// One self-contained page with table and plots: curves where the variants are numbers, bars
/// elsewhere.
std::string study_page(const Study& study);

}  // namespace pointpng
