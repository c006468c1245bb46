#include "report/alignment_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/io.h"
#include "pointpng/runtime.h"
#include "report/alignment_data.h"
#include "report/angle.h"
#include "report/assets.h"
#include "report/format.h"
#include "report/json_leaves.h"
#include "report/page.h"

namespace pointpng {
namespace {

constexpr const char* kUnknown = "–";

std::string known(double value, std::string (*format)(double)) {
  return std::isfinite(value) ? format(value) : kUnknown;
}

std::string figure(double value) { return format_number(value, 3); }

/// "mug.ply → shelf.pcd", or the alignment's own name.
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
  return radians * kDegreesPerRadian;
}

std::string accepted_sentence(const AlignmentPage& page) {
  const Eigen::Isometry3d& pose = page.alignment.target_from_source;
  const std::string fit = fmt::format("{} fits onto {}", page.source_name, page.target_name);
  if (!is_finite(pose)) return fit + ".";
  const double distance = pose.translation().norm();
  return fmt::format("{}: rotation {}, translation {}{}.", fit,
                     degrees_text(rotation_degrees(pose)), length_text(distance, page.unit),
                     page.unit.empty() ? " in the clouds’ unit" : "");
}

std::string rejected_sentence(const AlignmentPage& page) {
  const Alignment& alignment = page.alignment;
  const std::string reason = alignment.rejection_reason.empty() ? "The evidence was insufficient."
                                                                : alignment.rejection_reason;
  return reason +
         (alignment.hypotheses.empty()
              ? " There is no hypothesis to show."
              : " Do not use the transform; the best hypothesis is shown below to help find "
                "out what went wrong.");
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
        {"Residual", known(best.residual, figure), page.unit, "RMS distance of the inliers"},
        {"Score", known(best.score, figure), "",
         fmt::format("1 is perfect; margin {} over the best competitor",
                     known(alignment.evidence.margin, figure))},
    };
  }
  if (std::isfinite(alignment.times_ms.total))
    tiles.push_back({"Time", figure(alignment.times_ms.total), "ms", "from clouds to result"});
  return tiles;
}

void add_remarks(Section& section, const Alignment& alignment) {
  if (alignment.num_symmetric_modes > 1)
    section.callout(Callout::kNote,
                    fmt::format("{} poses fit equally well.", alignment.num_symmetric_modes),
                    "The object is symmetric, so the clouds cannot tell these poses apart: each of "
                    "them is correct. The first is reported.");
  for (const std::string& note : alignment.notes) section.callout(Callout::kNote, "", note);
}

/// One alignment and its clouds as they are drawn.
struct Shown {
  const AlignmentPage& page;
  DrawnCloud source, target;
};

/// Content of one alignment; the script shows that of the selected one only.
Html group(std::size_t alignment, const Section& content) {
  return {fmt::format("<div data-alignment=\"{}\"{}>\n{}</div>\n", alignment,
                      alignment == 0 ? "" : " hidden=\"hidden\"", content.content().markup)};
}

/// Adds a section in which `describe` writes about each alignment.
template <typename Describe>
Section& add_each(Page& page, std::string title, const std::vector<Shown>& shown,
                  const Describe& describe) {
  Section& section = page.add_section(std::move(title));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Section content{""};
    describe(content, shown[i], i);
    section.raw(group(i, content));
  }
  return section;
}

Html selector(const std::vector<Shown>& shown) {
  Html html{
      "<p class=\"choice\"><label for=\"alignment\">Alignment</label> "
      "<select id=\"alignment\">"};
  for (std::size_t i = 0; i < shown.size(); ++i)
    html.markup += fmt::format("<option value=\"{}\">{}{}</option>", i,
                               shown[i].page.alignment.accepted ? "✓ " : "✕ ",
                               escape_html(name_of(shown[i].page)));
  html.markup += "</select></p>\n";
  return html;
}

std::string drawn_text(std::string_view which, const Cloud& cloud, const DrawnCloud& drawn) {
  const auto count = static_cast<std::int64_t>(drawn.offsets.size() / 3);
  std::string text;
  if (cloud.rows() > drawn.finite)
    text += fmt::format("{} of the {}’s points are not finite and were left out. ",
                        format_count(cloud.rows() - drawn.finite), which);
  if (count < drawn.finite)
    text += fmt::format("{} of the {}’s {} points are drawn, chosen at random. ",
                        format_count(count), which, format_count(drawn.finite));
  if (drawn.finite == 0) text += fmt::format("The {} has no points. ", which);
  return text;
}

void describe_verdict(Section& section, const Shown& shown, std::size_t) {
  section.raw(verdict_banner(shown.page));
  section.tiles(answer_tiles(shown.page));
  add_remarks(section, shown.page.alignment);
  const std::string drawn = drawn_text("source", shown.page.source, shown.source) +
                            drawn_text("target", shown.page.target, shown.target);
  if (!drawn.empty()) section.callout(Callout::kNote, "", drawn);
}

Html hypothesis_button(const Hypothesis& hypothesis, std::size_t rank, const std::string& unit) {
  const bool usable = is_finite(hypothesis.target_from_source);
  const double score = std::isfinite(hypothesis.score) ? hypothesis.score : 0.0;
  return {fmt::format(
      "<li><button type=\"button\" data-pose=\"{0}\" aria-pressed=\"{1}\"{2}>"
      "<b>{3}</b><span class=\"origin\">{4}</span><span class=\"score\">{5}</span>"
      "<i><em style=\"width:{6:.1f}%\"></em></i>"
      "<span class=\"rest\"><span>overlap {7} / {8}</span><span>residual {9}</span>"
      "<span>rotation {10}</span></span></button></li>\n",
      rank, rank == 0 ? "true" : "false", usable ? "" : " disabled=\"disabled\"", rank + 1,
      to_string(hypothesis.origin), std::isfinite(hypothesis.score) ? format_number(score, 3) : "–",
      100.0 * std::clamp(score, 0.0, 1.0), known(hypothesis.source_overlap, format_percent),
      known(hypothesis.target_overlap, format_percent),
      escape_html(length_text(hypothesis.residual, unit)),
      usable ? degrees_text(rotation_degrees(hypothesis.target_from_source)) : "–")};
}

void describe_hypotheses(Section& section, const Shown& shown, std::size_t) {
  const std::vector<Hypothesis> hypotheses = listed_hypotheses(shown.page.alignment);
  if (hypotheses.empty()) {
    section.text("No hypothesis was found.");
    return;
  }
  Html html{"<ol class=\"hypotheses\">"};
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    html += hypothesis_button(hypotheses[i], i, shown.page.unit);
  html.markup += "</ol>\n";
  section.raw(html);
}

void add_viewer(Page& page, const std::vector<Shown>& shown) {
  Section lists{""};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Section content{""};
    describe_hypotheses(content, shown[i], i);
    lists.raw(group(i, content));
  }
  page.add_section("3D view").raw(
      {fmt::format("<div class=\"stage\">{}<aside aria-label=\"Hypotheses\">"
                   "<h3>Hypotheses, best first</h3>\n{}</aside></div>\n",
                   kViewerHtml, lists.content().markup)});
}

std::string matrix_text(const Eigen::Isometry3d& transform) {
  std::string text;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column)
      text += fmt::format("{:>14.9g}", transform.matrix()(row, column) + 0.0);  // no "-0"
    if (row < 3) text += '\n';
  }
  return text;
}

std::vector<Fact> pose_facts(const Hypothesis& hypothesis, const std::string& unit) {
  const Eigen::Isometry3d& pose = hypothesis.target_from_source;
  const Eigen::Quaterniond q(pose.linear());
  const Eigen::AngleAxisd turn(q);
  const Eigen::Vector3d t = pose.translation();
  const Eigen::Vector3d& axis = turn.axis();
  return {
      {"Quaternion (x, y, z, w)",
       fmt::format("{:.6f}, {:.6f}, {:.6f}, {:.6f}", q.x(), q.y(), q.z(), q.w())},
      {"Translation (x, y, z)", fmt::format("{:.6g}, {:.6g}, {:.6g}{}", t.x(), t.y(), t.z(),
                                            unit.empty() ? "" : "\u202F" + unit)},
      {"Rotation", fmt::format("{} about ({:.3f}, {:.3f}, {:.3f})",
                               degrees_text(rotation_degrees(pose)), axis.x(), axis.y(), axis.z())},
      {"Embedding loss", std::isfinite(hypothesis.embedding_loss)
                             ? format_number(hypothesis.embedding_loss)
                             : "– (not proposed by the embedding)"}};
}

void describe_pose(Section& section, const Shown& shown, std::size_t) {
  const std::vector<Hypothesis> hypotheses = listed_hypotheses(shown.page.alignment);
  if (hypotheses.empty()) section.text("There is no transform.");
  if (!hypotheses.empty() && !shown.page.alignment.accepted)
    section.callout(Callout::kWarning, "Not accepted.",
                    "These numbers describe a hypothesis, not a result.");
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (!is_finite(hypotheses[i].target_from_source)) continue;
    Section content{""};
    content.heading(fmt::format("Hypothesis {}: target from source", i + 1))
        .code(matrix_text(hypotheses[i].target_from_source))
        .facts(pose_facts(hypotheses[i], shown.page.unit));
    section.raw({fmt::format("<div data-pose-of=\"{}\"{}>{}</div>\n", i,
                             i == 0 ? "" : " hidden=\"hidden\"", content.content().markup)});
  }
}

/// Standard deviations "0.8, 1.2, 0.9 mm" from the diagonal, "–" where there is no covariance.
std::string deviations(const PoseCovariance& covariance, int first, double factor,
                       const std::string& unit) {
  const Eigen::Vector3d variances = covariance.diagonal().segment<3>(first);
  if (!variances.allFinite() || (variances.array() < 0).any() || covariance.isZero(0.0))
    return "– (not computed)";
  const Eigen::Vector3d sigma = factor * variances.cwiseSqrt();
  return fmt::format("{}, {}, {}{}", format_number(sigma.x(), 3), format_number(sigma.y(), 3),
                     format_number(sigma.z(), 3), unit);
}

void describe_confidence(Section& section, const Shown& shown, std::size_t) {
  const Alignment& alignment = shown.page.alignment;
  const std::string unit = shown.page.unit.empty() ? "" : "\u202F" + shown.page.unit;
  const auto number = [](double value) {
    return std::isfinite(value) ? format_number(value) : kUnknown;
  };
  section.facts({
      {"Position, standard deviation (x, y, z)", deviations(alignment.covariance, 0, 1.0, unit)},
      {"Rotation, standard deviation (x, y, z)",
       deviations(alignment.covariance, 3, kDegreesPerRadian, "°")},
      {"Confidence", known(alignment.confidence, format_percent)},
      {"Score margin over the best competitor", number(alignment.evidence.margin)},
      {"Rotation of the best competitor", degrees_text(alignment.evidence.competitor_angle_deg)},
      {"Unconstrained degrees of freedom", std::to_string(alignment.evidence.unconstrained_dof)},
      {"Score", number(alignment.score)},
      {"Residual (RMS of the inliers)", length_text(alignment.residual, shown.page.unit)},
      {"Embedding loss", number(alignment.embedding_loss)},
      {"Poses that fit equally well", std::to_string(std::max(1, alignment.num_symmetric_modes))},
  });
}

/// Names and milliseconds of the stages that took any time.
std::vector<std::pair<std::string, double>> stages_of(const StageTimes& times) {
  const std::array<std::pair<const char*, double>, 5> named = {{{"prepare", times.prepare},
                                                                {"embed", times.embed},
                                                                {"search", times.search},
                                                                {"parts", times.parts},
                                                                {"refine", times.refine}}};
  std::vector<std::pair<std::string, double>> stages;
  double sum = 0.0;
  for (const auto& [name, time] : named) {
    if (!std::isfinite(time) || time <= 0.0) continue;
    stages.emplace_back(name, time);
    sum += time;
  }
  if (std::isfinite(times.total) && times.total > 1.01 * sum)
    stages.emplace_back("other", times.total - sum);
  return stages;
}

void describe_times(Section& section, const Shown& shown, std::size_t) {
  const auto stages = stages_of(shown.page.alignment.times_ms);
  if (stages.empty()) {
    section.text("No times were measured.");
    return;
  }
  double sum = 0.0;
  for (const auto& [name, time] : stages) sum += time;
  std::string bar, legend;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& [name, time] = stages[i];
    bar +=
        fmt::format(R"(<i class="line-{}" style="width:{:.2f}%"></i>)", i + 1, 100.0 * time / sum);
    legend += fmt::format("<li class=\"line-{}\"><i></i><span>{} <b>{} ms</b></span></li>", i + 1,
                          name, format_number(time, 3));
  }
  section.raw(
      {fmt::format("<div class=\"times\"><div class=\"bar\" aria-hidden=\"true\">{}</div>"
                   "<ul class=\"legend\">{}</ul><p>{} ms in total</p></div>\n",
                   bar, legend, format_number(sum, 3))});
}

void describe_settings(Section& section, const Shown& shown, std::size_t) {
  const AlignmentPage& page = shown.page;
  std::vector<Fact> facts = {
      {"Source", page.source_name},
      {"Points of the source", format_count(page.source.rows())},
      {"Target", page.target_name},
      {"Points of the target", format_count(page.target.rows())},
  };
  if (!page.model_name.empty()) facts.push_back({"Model", page.model_name});
  if (!page.unit.empty()) facts.push_back({"Unit", page.unit});
  for_each_leaf(Json(page.settings), "", '.', [&](const std::string& name, const Json& leaf) {
    if (!name.empty()) facts.push_back({name, leaf_text(leaf)});
  });
  section.facts(facts);
}

AlignmentReport report_of(const AlignmentPage& page) {
  AlignmentReport report;
  report.pages.push_back(page);
  return report;
}

std::string title_of(const AlignmentReport& report) {
  if (!report.title.empty()) return report.title;
  if (report.pages.size() == 1) return name_of(report.pages.front());
  return fmt::format("{} alignments", report.pages.size());
}

std::string summary_of(const AlignmentReport& report) {
  const auto accepted =
      std::count_if(report.pages.begin(), report.pages.end(),
                    [](const AlignmentPage& page) { return page.alignment.accepted; });
  if (report.pages.size() > 1)
    return fmt::format("{} of {} were accepted.", accepted, report.pages.size());
  const AlignmentPage& page = report.pages.front();
  return fmt::format("The rigid transform that moves {} ({} points) onto {} ({} points).",
                     page.source_name, format_count(page.source.rows()), page.target_name,
                     format_count(page.target.rows()));
}

std::vector<Shown> drawn_pages(const AlignmentReport& report) {
  const std::int64_t most = std::max<std::int64_t>(1, report.drawn_points);
  std::vector<Shown> shown;
  for (const AlignmentPage& page : report.pages)
    shown.push_back({page, draw_cloud(page.source, most), draw_cloud(page.target, most)});
  return shown;
}

}  // namespace

std::string alignment_page(const AlignmentReport& report) {
  if (report.pages.empty()) throw InputError("a report needs at least one alignment, got none");
  const std::vector<Shown> shown = drawn_pages(report);
  AlignmentData data;
  for (const Shown& one : shown) data.add(one.page, one.source, one.target);

  Page page(title_of(report), "Point-PNG alignment report", summary_of(report));
  Section& top = page.add_section("");
  top.raw({fmt::format("<style>\n{}</style>\n", kAlignmentCss)});
  if (shown.size() > 1) top.raw(selector(shown));
  add_each(page, "", shown, describe_verdict);
  add_viewer(page, shown);
  add_each(page, "Transform", shown, describe_pose);
  add_each(page, "Confidence", shown, describe_confidence);
  add_each(page, "Times", shown, describe_times);
  add_each(page, "Settings", shown, describe_settings)
      .raw(data.html())
      .raw({fmt::format("<script>(() => {{\n{}\n{}}})();</script>\n", kPointViewJs, kAlignmentJs)});
  page.set_footer(fmt::format("Written by pointpng {}. This file needs no network.", version()));
  return page.html();
}

std::string alignment_page(const AlignmentPage& page) { return alignment_page(report_of(page)); }

void write_alignment_report(const std::filesystem::path& path, const AlignmentReport& report) {
  if (std::filesystem::is_directory(path))
    throw InputError(fmt::format("{} is a folder; name the HTML file to write", path.string()));
  write_file_atomically(path, alignment_page(report));
}

void write_alignment_report(const std::filesystem::path& path, const AlignmentPage& page) {
  write_alignment_report(path, report_of(page));
}

}  // namespace pointpng
