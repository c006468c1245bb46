#pragma once

#include <string>
#include <vector>

#include "report/alignment_report.h"
#include "report/html.h"
#include "report/page.h"

namespace pointpng {

/// "mug.ply → shelf.pcd", or the alignment's own name.
std::string name_of(const AlignmentPage& page);

/// A length with its unit, where there is one.
std::string length_text(double length, const std::string& unit);

/// "143.2°".
std::string degrees_text(double degrees);
double rotation_degrees(const Eigen::Isometry3d& transform);

/// Whether to believe it, large, and what follows from that, in a sentence.
Html verdict_banner(const AlignmentPage& page);

/// The figures that matter about the answer.
std::vector<Tile> answer_tiles(const AlignmentPage& page);

/// Several right answers, and the alignment's own notes.
void add_remarks(Section& section, const Alignment& alignment);

}  // namespace pointpng
