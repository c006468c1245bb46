#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/terminal.h"
#include "cli/output.h"

namespace pointpng::cli {
namespace {

struct RetrievalOptions : EvalOptions {
  SensitivityConfig config;
};

Outcome evaluate(const RetrievalOptions& options) {
  apply(options.output);
  const Retrieval result =
      measure_retrieval(options.input, options.config, Terminal(options.output).evaluation_hooks());
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
  Command command = add_eval_command(
      parent, "retrieval",
      "Does the predictor find the right pose? MRR, H@1 and H@5 among views of the same shape.",
      {{"eval retrieval --data test.h5", "the shipped model on held-out shapes"},
       {"eval retrieval --model runs/a/model.safetensors --data test.h5 --views 20 --json",
        "among fewer views, for scripts"}});
  command.add_option("--shapes", options->config.shapes, "How many shapes at most")
      .range(1, 1000000)
      .show_default();
  command.add_option("--views", options->config.views, "Views of each shape")
      .range(2, 10000)
      .show_default();
  add_eval_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
