#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/alignment.h"
#include "pointpng/cloud.h"

namespace pointpng {

/// Two clouds and their alignment.
struct AlignmentPage {
  Cloud source, target;  ///< each in its own frame
  Alignment alignment;
  std::string source_name, target_name;
  std::string name;         ///< in the list of alignments; empty: made from the clouds' names
  std::string unit;         ///< of lengths, such as "m"; empty where unknown
  std::string model_name;   ///< empty where no model was used
  nlohmann::json settings;  ///< of the registration, a JSON object; may be empty
};

/// Several alignments to choose from, in one file.
struct AlignmentReport {
  std::vector<AlignmentPage> pages;
  std::string title;                  ///< empty: made from the names
  std::int64_t drawn_points = 20000;  ///< per cloud; larger clouds are downsampled at random
};

/// One self-contained HTML page: the verdict, the clouds before and after in 3D, the hypotheses,
/// the numbers and the time of every stage. Throws `InputError` for a report without alignments.
std::string alignment_page(const AlignmentReport& report);
std::string alignment_page(const AlignmentPage& page);

/// Writes that page to a file, as a whole or not at all.
void write_alignment_report(const std::filesystem::path& path, const AlignmentReport& report);
void write_alignment_report(const std::filesystem::path& path, const AlignmentPage& page);

}  // namespace pointpng
