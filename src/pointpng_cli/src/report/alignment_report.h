#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/cloud.h"
#include "pointpng/alignment.h"

namespace pointpng {

/// Two clouds and how they were brought together.
struct AlignmentPage {
  Cloud source, target;  ///< each in its own frame
  Alignment alignment;
  std::string source_name, target_name;
  std::string name;         ///< in the list of several alignments; empty: made of the clouds' names
  std::string unit;         ///< of the clouds' lengths, such as "m"; empty where it is not known
  std::string model_name;   ///< empty where no model was used
  nlohmann::json settings;  ///< how the pose was estimated, an object; may be empty
};

/// Several alignments in one file, to choose from.
struct AlignmentReport {
  std::vector<AlignmentPage> pages;
  std::string title;                  ///< empty: made of what was aligned
  std::int64_t drawn_points = 20000;  ///< of each cloud; of a larger one a random part is drawn
};

/// One self-contained HTML page: the verdict in plain words, the clouds before and after in 3D, the
/// hypotheses to click through, the numbers and the time of every stage.
/// Throws `InputError` where there is no alignment in the report.
std::string alignment_page(const AlignmentReport& report);
std::string alignment_page(const AlignmentPage& page);

/// Writes that page to a file, as a whole or not at all.
void write_alignment_report(const std::filesystem::path& path, const AlignmentReport& report);
void write_alignment_report(const std::filesystem::path& path, const AlignmentPage& page);

}  // namespace pointpng
