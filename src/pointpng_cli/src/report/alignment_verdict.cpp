#include "report/alignment_verdict.h"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "report/alignment_data.h"
#include "report/format.h"

namespace pointpng {
namespace {

constexpr const char* kUnknown = "–";

std::string known(double value, std::string (*format)(double)) {
  return std::isfinite(value) ? format(value) : kUnknown;
}

std::string figure(double value) { return format_number(value, 3); }

std::string accepted_sentence(const AlignmentPage& page) {
  const Eigen::Isometry3d& pose = page.alignment.target_from_source;
  const std::string fit = fmt::format("{} fits onto {}", page.source_name, page.target_name);
  if (!is_finite(pose)) return fit + ".";
  const double distance = pose.translation().norm();
  return fmt::format("{}: turned by {} and moved by {}{}.", fit,
                     degrees_text(rotation_degrees(pose)), length_text(distance, page.unit),
                     page.unit.empty() ? " in the clouds’ unit" : "");
}

std::string rejected_sentence(const AlignmentPage& page) {
  const Alignment& alignment = page.alignment;
  const std::string reason =
      alignment.reason.empty() ? "The evidence was not enough." : alignment.reason;
  return reason + (alignment.hypotheses.empty()
                       ? " There is no hypothesis to look at."
                       : " No transform should be taken from this; what is shown below is the best "
                         "hypothesis, to see what went wrong.");
}

}  // namespace

std::string name_of(const AlignmentPage& page) {
  return page.name.empty() ? page.source_name + " → " + page.target_name : page.name;
}

std::string length_text(double length, const std::string& unit) {
  if (!std::isfinite(length)) return kUnknown;
  return figure(length) + (unit.empty() ? "" : "\u202F" + unit);
}

std::string degrees_text(double degrees) {
  return std::isfinite(degrees) ? fmt::format("{:.{}f}°", degrees, degrees < 1 ? 2 : 1) : kUnknown;
}

double rotation_degrees(const Eigen::Isometry3d& transform) {
  const double radians = Eigen::AngleAxisd(Eigen::Quaterniond(transform.linear())).angle();
  return radians * 180.0 / std::numbers::pi;
}

Html verdict_banner(const AlignmentPage& page) {
  const Alignment& alignment = page.alignment;
  const std::string confidence =
      std::isfinite(alignment.confidence)
          ? fmt::format(" <span>{} confidence</span>", format_percent(alignment.confidence))
          : "";
  return {fmt::format(
      "<div class=\"verdict {0}\" role=\"status\"><b aria-hidden=\"true\">{1}</b>"
      "<div><strong>{2}{3}</strong><p>{4}</p></div></div>\n",
      alignment.accepted ? "accepted" : "rejected", alignment.accepted ? "✓" : "✕",
      alignment.accepted ? "Accepted" : "Rejected", confidence,
      escape_html(alignment.accepted ? accepted_sentence(page) : rejected_sentence(page)))};
}

std::vector<Tile> answer_tiles(const AlignmentPage& page) {
  const Alignment& alignment = page.alignment;
  const std::vector<Hypothesis> hypotheses = listed_hypotheses(alignment);
  std::vector<Tile> tiles;
  if (!hypotheses.empty()) {
    const Hypothesis& best = hypotheses.front();
    tiles = {
        {"Overlap", known(best.source_overlap, format_percent), "",
         fmt::format("of the source; {} of the target",
                     known(best.target_overlap, format_percent))},
        {"Residual", known(best.residual, figure), page.unit, "distance of what overlaps (rms)"},
        {"Score", known(best.score, figure), "",
         fmt::format("1 is perfect; {} ahead of the next", known(alignment.margin, figure))},
    };
  }
  if (std::isfinite(alignment.times_ms.total))
    tiles.push_back({"Time", figure(alignment.times_ms.total), "ms", "from clouds to answer"});
  return tiles;
}

void add_remarks(Section& section, const Alignment& alignment) {
  if (alignment.modes > 1)
    section.callout(Callout::kNote, fmt::format("{} poses fit equally well.", alignment.modes),
                    "The object looks the same after certain turns, so the clouds can’t tell these "
                    "poses apart: each of them is right. The first is given as the answer.");
  for (const std::string& note : alignment.notes) section.callout(Callout::kNote, "", note);
}

}  // namespace pointpng
