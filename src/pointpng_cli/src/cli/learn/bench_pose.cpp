#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/learn/commands.h"
#include "cli/learn_commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "pointpng/evaluation.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

struct BenchPoseOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::filesystem::path pairs_dir;
  std::string model;
};

/// One method's figures on the pairs.
struct Measured {
  std::string name;
  PoseEvaluation result;
};

std::vector<Measured> measure_all(const std::vector<Peer>& methods,
                                  const std::vector<PosePair>& pairs, bool quiet) {
  std::vector<Measured> measured;
  for (const Peer& method : methods) {
    Progress progress({.quiet = quiet});
    const auto on_pair = [&](std::int64_t done) {
      if (progress.due())
        progress.update(fmt::format("{}: {} of {} pairs", method.name, done, pairs.size()));
    };
    measured.push_back({method.name, evaluate_pose(pairs, method.align, nullptr, on_pair)});
  }
  return measured;
}

std::string to_text(const std::vector<Measured>& measured) {
  std::string text = fmt::format("{:<24} {:>7} {:>9} {:>10} {:>9} {:>9} {:>8}\n", "method", "<5° %",
                                 "median°", "surface %", "ms", "CPU ms", "× ours");
  const double ours_ms = measured.front().result.mean_ms.total;
  for (const auto& [name, result] : measured)
    text += fmt::format("{:<24} {:>7.1f} {:>9.2f} {:>10.1f} {:>9.1f} {:>9.1f} {:>8.1f}\n", name,
                        100.0 * result.figures.rotation.within_5deg,
                        result.figures.rotation.median_deg, 100.0 * result.figures.surface_ok,
                        result.mean_ms.total, result.mean_cpu_ms, result.mean_ms.total / ours_ms);
  return text;
}

json to_json(const std::vector<Measured>& measured) {
  json methods = json::array();
  const double ours_ms = measured.front().result.mean_ms.total;
  for (const auto& [name, result] : measured) {
    json figures = result;
    figures.erase("classes");
    figures.erase("search_only");
    figures["method"] = name;
    figures["times_ours"] = result.mean_ms.total / ours_ms;
    methods.push_back(std::move(figures));
  }
  return methods;
}

Outcome bench(const BenchPoseOptions& options) {
  apply(options.output);
  const std::filesystem::path model_file = find_model(options.model);
  const Registration registration = Registration::load(options.model, {}, options.compute);
  std::vector<std::string> notes;
  const std::vector<PosePair> pairs = load_pairs(options.pairs_dir, &notes);
  warn(notes);

  std::vector<Peer> methods = pcl_peers(num_threads());
  methods.insert(methods.begin(), {"Point-PNG", aligner_of(registration)});
  const std::vector<Measured> measured = measure_all(methods, pairs, options.output.quiet);
  if (options.output.json)
    print_json({{"pairs", pairs.size()},
                {"pairs_dir", options.pairs_dir.string()},
                {"model", model_file.string()},
                {"threads", num_threads()},
                {"methods", to_json(measured)}});
  else
    print_text(
        fmt::format("{} pairs, {} threads\n{}", pairs.size(), num_threads(), to_text(measured)));
  return Outcome::kDone;
}

}  // namespace

void add_bench_pose(Command parent) {
  const auto options = std::make_shared<BenchPoseOptions>();
  Command command = add_command(
      command_group(parent, "bench", learn_description("bench")), "pose",
      "Our poses beside those of PCL's methods: the same pairs, the same run, the same threads.",
      {{"bench pose --pairs-dir pairs", "pairs from 'eval pose --save-pairs pairs'"},
       {"bench pose --pairs-dir pairs --threads 1 --json", "on one core, for scripts"}});
  command.add_option("--pairs-dir", options->pairs_dir, "A folder with pairs.json").required();
  command.add_option("--model", options->model, kModelHelp);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return bench(*options); });
}

}  // namespace pointpng::cli
