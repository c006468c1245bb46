#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>
#include <torch/types.h>

#include "pointpng/cli/command.h"
#include "pointpng/cli/commands.h"
#include "pointpng/cli/options.h"
#include "pointpng/cli/output.h"
#include "pointpng/eval/equivariance.h"
#include "pointpng/io/shapes.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

struct EquivarianceOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::filesystem::path model;
  std::string data;
  LoadOptions load;
  std::int64_t pairs = 200;
  std::uint64_t seed = 0;
};

std::string to_text(const Equivariance& result) {
  return fmt::format(
      "{} pairs, two samples of a surface, each turned at random\n"
      "  PA   {:6.3f}   predictor accuracy: sim(u_g(z), z+)\n"
      "  AE   {:6.3f}   absolute equivariance: PA - sim(z, z+); 0 is an invariant embedding\n"
      "  rotation error of the search alone: {:.2f}° mean, {:.2f}° median, {:.1f}° largest;\n"
      "  {:.1f} % within 5°, {:.1f} % within 15°\n",
      result.pairs, result.pa, result.ae, result.search.mean_deg, result.search.median_deg,
      result.search.max_deg, 100.0 * result.search.within_5deg, 100.0 * result.search.within_15deg);
}

Outcome evaluate(const EquivarianceOptions& options) {
  apply(options.output);
  const torch::Device device = apply(options.compute);
  const LoadedModel loaded = load_model(options.model, device);
  std::vector<std::string> notes;
  const ShapeSet shapes = load_shapes(options.data, options.load, &notes);
  for (const std::string& note : notes) spdlog::warn("{}", note);
  const Equivariance result = measure_equivariance(
      *loaded.model, turned_pairs(shapes, loaded.model->config(), options.pairs, options.seed));
  options.output.json ? print_json(json(result)) : print_text(to_text(result));
  return Outcome::kDone;
}

}  // namespace

void add_eval_equivariance(CLI::App& parent) {
  const auto options = std::make_shared<EquivarianceOptions>();
  CLI::App& command = add_command(
      command_group(parent, "eval", "Measure a model"), "equivariance",
      "Does the embedding know the pose? PA and AE as in the paper, with the rotation error.",
      {{"eval equivariance --model runs/a/model.safetensors --data test.h5", "on held-out shapes"},
       {"eval equivariance --model runs/a/model.safetensors --data procedural:100:9 --json",
        "on procedural objects, for scripts"}});
  command.add_option("--model", options->model, "A model.safetensors")->required();
  command.add_option("--data", options->data, "Shapes: as for 'pretrain'")->required();
  command.add_option("--topic", options->load.topic, "PointCloud2 topic of a bag that has several");
  command.add_option("--pairs", options->pairs, "How many pairs")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_seed_option(command, options->seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
