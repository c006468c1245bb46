#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/training.h"
#include "eval/retrieval.h"
#include "eval/sensitivity.h"

namespace pointpng::cli {
namespace {

struct RetrievalOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::string model;
  std::vector<std::string> data;
  LoadOptions load;
  std::int64_t shapes = SensitivityConfig{}.shapes, views = SensitivityConfig{}.views;
  std::uint64_t seed = 0;
};

Outcome evaluate(const RetrievalOptions& options) {
  apply(options.output);
  const LoadedModel loaded = load_model(find_model(options.model), apply(options.compute));
  const ShapeSet shapes = load_sources(options.data, options.load);
  const Retrieval result =
      measure_retrieval(*loaded.model, embed_views(*loaded.model, shapes, options.shapes,
                                                   options.views, Turns::kUniform, options.seed));
  if (options.output.json)
    print_json(nlohmann::json(result));
  else
    print_text(
        fmt::format("{} queries: which of {} views of a shape does the predictor mean?\n"
                    "  MRR  {:6.3f}   mean of 1 / rank of the right view; chance is {:.3f}\n"
                    "  H@1  {:6.3f}   share of the queries whose right view comes first\n"
                    "  H@5  {:6.3f}   … is among the first five\n",
                    result.queries, result.views, result.mrr, chance_of_mrr(result.views),
                    result.hit_1, result.hit_5));
  return Outcome::kDone;
}

}  // namespace

void add_eval_retrieval(Command parent) {
  const auto options = std::make_shared<RetrievalOptions>();
  Command command = add_command(
      command_group(parent, "eval", "Measure a model"), "retrieval",
      "Does the predictor find the right pose? MRR, H@1 and H@5 among views of the same shape.",
      {{"eval retrieval --data test.h5", "the shipped model on held-out shapes"},
       {"eval retrieval --model runs/a/model.safetensors --data test.h5 --views 20 --json",
        "among fewer views, for scripts"}});
  command.add_option("--model", options->model,
                     "A model.safetensors or the name of a shipped model [object]");
  command.add_option("--data", options->data, "Shapes: as for 'pretrain'").required();
  command.add_option("--topic", options->load.topic, "PointCloud2 topic of a bag that has several");
  command.add_option("--shapes", options->shapes, "How many shapes at most")
      .range(1, 1000000)
      .show_default();
  command.add_option("--views", options->views, "Views of each shape")
      .range(2, 10000)
      .show_default();
  add_seed_option(command, options->seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
