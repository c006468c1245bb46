#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/learn/commands.h"
#include "cli/learn/terminal.h"
#include "cli/learn_commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"
#include "pointpng/io.h"
#include "pointpng/json.h"
#include "pointpng/registration.h"
#include "pointpng/training.h"
#include "report/alignment_report.h"
#include "report/run_report.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kTrainShapes = 480;
constexpr std::uint64_t kTestSeed = 1000003;  // objects that training never draws
constexpr int kTestShapes = 12;
constexpr int kAlignedShapes = 4;

struct DemoOptions {
  OutputOptions output;
  ComputeOptions compute;
  fs::path out = "demo";
  double minutes = 1.0;
  std::uint64_t seed = 0;
};

/// One line of the table: an object it never saw, its rotation, what was recovered.
struct Recovered {
  std::string name;
  double true_deg, estimated_deg, error_deg, untrained_error_deg;
};

std::vector<Recovered> recover(const DemoOptions& options, const RunPlan& plan,
                               const fs::path& trained) {
  const ShapeSet shapes = procedural_shapes(kTestShapes, 2048, kTestSeed);
  const auto after = recover_rotations(trained, shapes, kTestSeed, options.compute);
  const auto before =
      recover_rotations(plan.model, options.seed, shapes, kTestSeed, options.compute);
  std::vector<Recovered> table;
  for (std::size_t i = 0; i < after.size(); ++i)
    table.push_back({after[i].name, after[i].true_deg, after[i].estimated_deg, after[i].error_deg,
                     before[i].error_deg});
  return table;
}

std::string to_text(const std::vector<Recovered>& table) {
  std::size_t width = 6;
  for (const Recovered& row : table) width = std::max(width, row.name.size());
  std::string text = fmt::format(
      "\nObjects it never saw, two samples of each, both rotated at random:\n\n"
      "  {:<{}}  {:>10}  {:>10}  {:>8}  {:>18}\n",
      "object", width, "true angle", "estimated", "error", "error if untrained");
  for (const Recovered& row : table)
    text += fmt::format("  {:<{}}  {:>9.1f}°  {:>9.1f}°  {:>7.1f}°  {:>17.1f}°\n", row.name, width,
                        row.true_deg, row.estimated_deg, row.error_deg, row.untrained_error_deg);
  return text;
}

json to_json(const std::vector<Recovered>& table) {
  json rows = json::array();
  for (const Recovered& row : table)
    rows.push_back(
        {row.name, fmt::format("{:.1f}°", row.true_deg), fmt::format("{:.1f}°", row.estimated_deg),
         fmt::format("{:.1f}°", row.error_deg), fmt::format("{:.1f}°", row.untrained_error_deg)});
  return {{"title", "Rotations of objects it never saw"},
          {"columns", {"object", "true angle", "estimated angle", "error", "error if untrained"}},
          {"rows", rows}};
}

/// One pair that was aligned by the whole estimator.
struct Aligned {
  std::string protocol;
  PairResult result;
};

/// Objects that no model ever saw, as samples, in parts and from one side, with the shipped model.
std::vector<Aligned> align_pairs(const DemoOptions& options, AlignmentReport& report) {
  const fs::path model = find_model("");
  const Registration registration = Registration::load("", {}, options.compute);
  const ShapeSet shapes = procedural_shapes(kAlignedShapes, 4096, kTestSeed + 1);
  report.title = "Objects it never saw, brought together without a guess";
  std::vector<Aligned> aligned;
  for (const char* protocol : {"resampled", "noisy", "partial", "view"}) {
    for (const PosePair& pair : make_pairs(shapes, protocol, kAlignedShapes, options.seed)) {
      const Alignment alignment = registration.align(pair.source, pair.target);
      aligned.push_back({protocol, judge(pair, alignment)});
      report.pages.push_back({pair.source, pair.target, alignment, pair.name, pair.name,
                              fmt::format("{}, {}", pair.name, protocol), "",
                              model.filename().string(), registration.config()});
    }
  }
  return aligned;
}

std::string to_text(const std::vector<Aligned>& aligned) {
  std::string text = fmt::format(
      "\nThe shipped model and the whole estimator, any rotation, no initial guess:\n\n"
      "  {:<12} {:<14} {:>8} {:>9}  {}\n",
      "clouds", "object", "error", "time", "verdict");
  for (const Aligned& row : aligned)
    text += fmt::format("  {:<12} {:<14} {:>7.2f}° {:>6.0f} ms  {}\n", row.protocol,
                        row.result.name, row.result.rotation_deg, row.result.stages_ms.total,
                        row.result.accepted
                            ? fmt::format("accepted, confidence {:.2f}", row.result.confidence)
                            : "rejected: " + row.result.reason);
  return text;
}

RunPlan demo_plan(const DemoOptions& options) {
  RunPlan plan = pretraining_plan("demo", "tiny");
  plan.data = {fmt::format("procedural:{}:{}", kTrainShapes, options.seed)};
  plan.load.mesh_points = 2048;
  plan.train.seed = options.seed;
  plan.train.minutes = options.minutes;
  plan.train.evaluate_every = 0.2;
  return plan;
}

/// Makes room for a new run: the last demo's is removed, anything else is not touched.
void remove_last_demo(const fs::path& run) {
  if (!fs::exists(run)) return;
  const fs::path config = run / "config.json";
  const json stored =
      fs::exists(config) ? json::parse(read_file(config), nullptr, false) : json::object();
  if (!stored.is_object() || stored.value("command", "") != "demo")
    throw InputError(
        fmt::format("{} is not the run of a demo; give another folder by --out", run.string()));
  fs::remove_all(run);
}

Outcome show(const DemoOptions& options) {
  apply(options.output);
  const fs::path run = options.out / "run";
  remove_last_demo(run);
  const RunPlan plan = demo_plan(options);
  if (!options.output.json)
    print_text(fmt::format("Drawing {} objects and training the tiny model for {} min …\n",
                           kTrainShapes, options.minutes));
  const RunResult result =
      start_run(plan, run, options.compute, Terminal(options.output).run_hooks());
  if (result.end == TrainEnd::kStopped) return Outcome::kNoResult;

  const std::vector<Recovered> table = recover(options, plan, result.result);
  write_file_atomically(run / "demo.json", to_json(table).dump(2));
  const fs::path report = options.out / "report.html";
  write_run_report(run, report);
  AlignmentReport alignments;
  const std::vector<Aligned> aligned = align_pairs(options, alignments);
  const fs::path alignment_report = options.out / "alignments.html";
  write_alignment_report(alignment_report, alignments);
  if (options.output.json) {
    json rows = json::array();
    for (const Recovered& row : table)
      rows.push_back({{"object", row.name},
                      {"true_deg", row.true_deg},
                      {"estimated_deg", row.estimated_deg},
                      {"error_deg", row.error_deg},
                      {"untrained_error_deg", row.untrained_error_deg}});
    json aligned_rows = json::array();
    for (const Aligned& row : aligned) {
      aligned_rows.push_back(row.result);
      aligned_rows.back()["protocol"] = row.protocol;
    }
    print_json({{"recovered", rows},
                {"metrics", result.metrics},
                {"report", report.string()},
                {"aligned", aligned_rows},
                {"alignments", alignment_report.string()}});
  } else {
    print_text(to_text(table) + to_text(aligned) +
               fmt::format("\nThe run as a page: {}\nThe alignments in 3D: {}\n", report.string(),
                           alignment_report.string()));
  }
  return Outcome::kDone;
}

}  // namespace

void add_demo(Command parent) {
  const auto options = std::make_shared<DemoOptions>();
  Command command =
      add_command(parent, "demo", learn_description("demo"),
                  {{"demo", "about a minute, writes demo/report.html and demo/alignments.html"},
                   {"demo --minutes 5 --out /tmp/demo", "longer, elsewhere"}});
  command.add_option("--out", options->out, "Folder for the run and its page").show_default();
  command.add_option("--minutes", options->minutes, "How long to train")
      .range(0.01, 1000.0)
      .show_default();
  add_seed_option(command, options->seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return show(*options); });
}

}  // namespace pointpng::cli
