#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/light/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pose_options.h"
#include "pointpng/io.h"
#include "pointpng/json.h"
#include "report/alignment_report.h"
#include "report/angle.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct AlignOptions {
  OutputOptions output;
  ComputeOptions compute;
  PoseOptions pose;
  PairOptions pair;
  std::optional<std::int64_t> instances;
  LoadOptions load;
  fs::path source, target, save_aligned, report;
};

std::string verdict(const Alignment& result) {
  if (!result.accepted) return fmt::format("rejected: {}\n", result.rejection_reason);
  std::string text = fmt::format("accepted, confidence {:.3f}\n", result.confidence);
  if (result.num_symmetric_modes > 1)
    text += fmt::format("  {} poses fit equally well: the object is symmetric\n",
                        result.num_symmetric_modes);
  return text;
}

std::string to_text(const Alignment& result) {
  const Eigen::Matrix4d m = result.target_from_source.matrix();
  Eigen::Quaterniond q(result.target_from_source.linear());
  if (q.w() < 0.0) q.coeffs() *= -1.0;
  const Eigen::Matrix<double, 6, 1> deviation = result.covariance.diagonal().cwiseSqrt();
  std::string text = verdict(result);
  text += result.accepted ? "target_from_source\n" : "best pose found, not to be used\n";
  for (int row = 0; row < 4; ++row)
    text += fmt::format("  {:10.6f} {:10.6f} {:10.6f} {:12.6f}\n", m(row, 0), m(row, 1), m(row, 2),
                        m(row, 3));
  text += fmt::format("  quaternion (x y z w) {:.6f} {:.6f} {:.6f} {:.6f}, angle {:.2f}°\n", q.x(),
                      q.y(), q.z(), q.w(), kDegreesPerRadian * Eigen::AngleAxisd(q).angle());
  if (result.accepted)
    text += fmt::format("  standard deviation {:.2g} {:.2g} {:.2g}, {:.2g}° {:.2g}° {:.2g}°\n",
                        deviation[0], deviation[1], deviation[2], kDegreesPerRadian * deviation[3],
                        kDegreesPerRadian * deviation[4], kDegreesPerRadian * deviation[5]);
  text += fmt::format("score {:.3f}, best competitor {:.3f}, residual {:.3g}\n", result.score,
                      result.score - result.evidence.margin, result.residual);
  const StageTimes& t = result.times_ms;
  text += fmt::format(
      "{:.1f} ms: prepare {:.1f}, embed {:.1f}, search {:.1f}, parts {:.1f}, refine {:.1f}\n",
      t.total, t.prepare, t.embed, t.search, t.parts, t.refine);
  return text;
}

void write_report(const AlignOptions& options, const Cloud& source, const Cloud& target,
                  const Alignment& result) {
  AlignmentPage page;
  page.source = source;
  page.target = target;
  page.alignment = result;
  page.source_name = options.source.filename().string();
  page.target_name = options.target.filename().string();
  page.model_name = find_model(options.pose.model).filename().string();
  page.settings = options.pose.config;
  write_alignment_report(options.report, page);
}

/// The instances as `--json` prints them.
json to_json(const Instances& instances) {
  return {{"instances", instances.found},
          {"reason", instances.rejected.rejection_reason},
          {"rejected", instances.rejected}};
}

std::string to_text(const Instances& instances) {
  std::string text = fmt::format("{} instances\n", instances.found.size());
  for (const Alignment& instance : instances.found) text += "\n" + to_text(instance);
  const std::string& reason = instances.rejected.rejection_reason;
  if (!reason.empty()) text += fmt::format("\nno more: {}\n", reason);
  return text;
}

/// One cloud per instance is written: moved.ply, moved_1.ply, …
fs::path numbered(const fs::path& file, std::size_t number) {
  if (number == 0) return file;
  return file.parent_path() /
         fmt::format("{}_{}{}", file.stem().string(), number, file.extension().string());
}

Outcome find_instances(const AlignOptions& options, const Registration& registration,
                       const Cloud& source, const Cloud& target) {
  const Instances instances = registration.align_instances(
      registration.prepare(source, "the source", options.pair.of_source()),
      registration.prepare(target, "the target", options.pair.of_target()),
      static_cast<int>(*options.instances));
  if (!options.save_aligned.empty())
    for (std::size_t i = 0; i < instances.found.size(); ++i)
      save_cloud(numbered(options.save_aligned, i),
                 transformed(source, instances.found[i].target_from_source));
  options.output.json ? print_json(to_json(instances)) : print_text(to_text(instances));
  return instances.found.empty() ? Outcome::kNoResult : Outcome::kDone;
}

Outcome align(const AlignOptions& options) {
  apply(options.output);
  const Registration registration =
      Registration::load(options.pose.model, options.pose.config, options.compute);
  std::vector<std::string> notes;
  const Cloud source = load_cloud(options.source, options.load, &notes),
              target = load_cloud(options.target, options.load, &notes);
  warn(notes);
  if (options.instances) return find_instances(options, registration, source, target);
  const Alignment result =
      registration.align(source, target, options.pair.of_source(), options.pair.of_target());
  for (const std::string& note : result.notes) remark(note);
  if (!options.report.empty()) write_report(options, source, target, result);
  if (!options.save_aligned.empty() && result.accepted)
    save_cloud(options.save_aligned, transformed(source, result.target_from_source));
  options.output.json ? print_json(json(result)) : print_text(to_text(result));
  return result.accepted ? Outcome::kDone : Outcome::kNoResult;
}

}  // namespace

void add_pose(Command parent) {
  const auto options = std::make_shared<AlignOptions>();
  options->load.max_points = 0;  // registration downsamples by itself, evenly
  options->load.mesh_points = 16384;
  Command command = add_command(
      parent, "pose",
      "Register two clouds: the rigid transform that moves SOURCE onto TARGET, without an initial "
      "guess.",
      {{"pose part.ply scan.ply", "a transform, or the reason why there is none (status 1)"},
       {"pose model.off scan.pcd --save-aligned moved.ply --report alignment.html",
        "and look at it in a browser"},
       {"pose part.ply scene.ply --instances 5 --target-viewpoint 0 0 0",
        "every copy in what a camera saw"},
       {"pose first.pcd second.pcd --up 0 0 1", "two scans whose z axis points up"},
       {"pose a.npy b.npy --refine none --hypotheses 1 --no-parts", "the plain paper"}});
  command.add_option("SOURCE", options->source, "Cloud or mesh to be moved").required();
  command.add_option("TARGET", options->target, "Cloud or mesh that stays").required();
  command.add_option("--save-aligned", options->save_aligned,
                     "Write the moved source (ply, pcd, xyz, npy), if it was accepted");
  const Option report =
      command.add_option("--report", options->report, "Write a page with both clouds in 3D");
  const Range& instances = range_of("instances");
  command.add_option("--instances", options->instances, std::string(instances.meaning))
      .range(static_cast<std::int64_t>(instances.least), static_cast<std::int64_t>(instances.most))
      .excludes(report);
  add_pair_options(command, options->pair);
  add_pose_options(command, options->pose);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return align(*options); });
}

}  // namespace pointpng::cli
