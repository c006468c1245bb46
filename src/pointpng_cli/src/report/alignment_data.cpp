#include "report/alignment_data.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string_view>

namespace pointpng {
namespace {

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::vector<std::int64_t> finite_rows(const Cloud& cloud) {
  std::vector<std::int64_t> rows;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    if (cloud.row(i).allFinite()) rows.push_back(i);
  return rows;
}

Eigen::Vector3d median(const Cloud& cloud, std::span<const std::int64_t> rows) {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  if (rows.empty()) return centre;
  std::vector<float> values(rows.size());
  for (int axis = 0; axis < 3; ++axis) {
    std::transform(rows.begin(), rows.end(), values.begin(),
                   [&](std::int64_t row) { return cloud(row, axis); });
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    centre[axis] = *middle;
  }
  return centre;
}

nlohmann::json to_entry(const DrawnCloud& cloud) {
  return {{"centre", {cloud.centre.x(), cloud.centre.y(), cloud.centre.z()}},
          {"points", base64(std::as_bytes(std::span(cloud.offsets)))}};
}

/// The transform row by row; null where it is not finite, which the page does not draw.
nlohmann::json to_entry(const Eigen::Isometry3d& transform) {
  if (!is_finite(transform)) return nullptr;
  nlohmann::json rows = nlohmann::json::array();
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column) rows.push_back(transform.matrix()(row, column));
  return rows;
}

}  // namespace

bool is_finite(const Eigen::Isometry3d& transform) { return transform.matrix().allFinite(); }

DrawnCloud draw_cloud(const Cloud& cloud, std::int64_t most) {
  std::vector<std::int64_t> rows = finite_rows(cloud);
  DrawnCloud drawn;
  drawn.finite = static_cast<std::int64_t>(rows.size());
  drawn.centre = median(cloud, rows);
  // At random: every n-th point of an organised cloud would be stripes.
  if (drawn.finite > most) {
    std::vector<std::int64_t> chosen;
    std::sample(rows.begin(), rows.end(), std::back_inserter(chosen), most, std::mt19937_64{});
    rows = std::move(chosen);
  }
  drawn.offsets.reserve(3 * rows.size());
  for (const std::int64_t row : rows)
    for (int axis = 0; axis < 3; ++axis)
      drawn.offsets.push_back(static_cast<float>(cloud(row, axis) - drawn.centre[axis]));
  return drawn;
}

std::vector<Hypothesis> listed_hypotheses(const Alignment& alignment) {
  if (!alignment.hypotheses.empty() || !alignment.accepted) return alignment.hypotheses;
  Hypothesis best;
  best.target_from_source = alignment.target_from_source;
  best.origin = alignment.evidence.searched ? Origin::kEmbedding : Origin::kInitialGuess;
  best.score = alignment.score;
  best.residual = alignment.residual;
  best.embedding_loss = alignment.embedding_loss;
  best.source_overlap = best.target_overlap = std::numeric_limits<double>::quiet_NaN();
  return {best};
}

void AlignmentData::add(const AlignmentPage& page, const DrawnCloud& source,
                        const DrawnCloud& target) {
  nlohmann::json poses = nlohmann::json::array();
  for (const Hypothesis& hypothesis : listed_hypotheses(page.alignment))
    poses.push_back(to_entry(hypothesis.target_from_source));
  entries_.push_back({{"source", to_entry(source)},
                      {"target", to_entry(target)},
                      {"poses", poses},
                      {"unit", page.unit}});
}

Html AlignmentData::html() const {
  using nlohmann::json;
  std::string text = entries_.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  // Nothing in the data may close the script element.
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return {R"(<script type="application/json" id="alignments">)" + text + "</script>\n"};
}

}  // namespace pointpng
